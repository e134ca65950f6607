internal import OfflineTree

/// Who is signed up on this home: a line in the file `user` of the home.
///
/// Until accounts come the uid is the username, and signing up is the log-in.
struct Session {
  private let path: String

  init(home: String) {
    path = home + "/user"
  }

  /// The user, or nil before the sign-up.
  func user() throws(TreeError) -> Key? {
    guard let bytes = try SmallFile.read(path) else { return nil }
    do throws(TreeError) {
      return try Key(utf8: bytes.prefix { $0 != UInt8(ascii: "\n") })
    } catch {
      throw TreeError(.damaged, "\(path) holds no username", advice: "Run \"\(Program.name) signup --username NAME\".")
    }
  }

  /// - Throws: `refused` before the sign-up.
  func signedUpUser() throws(TreeError) -> Key {
    guard let user = try user() else {
      throw TreeError(
        .refused, "nobody has signed up on this home", advice: "Run \"\(Program.name) signup --username NAME\" first.")
    }
    return user
  }

  /// Durable on return.
  func setUser(_ user: Key) throws(TreeError) {
    try SmallFile.write(user.utf8 + [UInt8(ascii: "\n")], to: path)
  }

  /// Puts the user's entry if there is none, and remembers who it is.
  /// - Returns: False if this user had an entry.
  func signUp(_ username: Key, in database: Database) throws -> Bool {
    let isNew = try database.write(as: username) { transaction in
      let entry = try JokesSpace.user(username)
      let name = try entry.child(JokesSpace.Member.username)
      if try transaction.scalar(at: name) == Scalar.string(username.text) { return false }
      try transaction.updateChildren(
        [
          (try Path([JokesSpace.Member.username]), NewValue(Scalar.string(username.text))),
          (try Path([JokesSpace.Member.createdAt]), .timestamp),
        ], at: entry)
      return true
    }
    try setUser(username)
    return isNew
  }
}
