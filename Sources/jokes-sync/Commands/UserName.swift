internal import OfflineTree

/// Finds a person by uid, its beginning, or an email that only one account has; and what a person can be called.
enum UserName {
  /// - Returns: The states of the account: one, unless it is contested.
  /// - Throws: `userNotFound`; `invalidArgument` if several fit.
  static func resolve(_ text: String, in users: [KnownUser]) throws(TreeError) -> [KnownUser] {
    let fitting: [KnownUser]
    if text.utf8.contains(UInt8(ascii: "@")) {
      let email = try Email.normalized(text)
      fitting = users.filter { $0.user.email.utf8.elementsEqual(email.utf8) }
    } else {
      fitting = users.filter { !text.utf8.isEmpty && $0.user.uid.utf8.starts(with: text.utf8) }
    }
    guard let first = fitting.first else {
      throw TreeError(
        .userNotFound, "no account has the email or uid \"\(text)\"",
        advice: "\"\(Program.name) users\" shows them; \"\(Program.name) sync\" fetches news.")
    }
    if fitting.contains(where: { $0.user.uid != first.user.uid }) {
      let uids = fitting.prefix(10).map { "\($0.user.uid), made on \(TerminalText.line($0.deviceName))" }
      throw TreeError(
        .invalidArgument, "several accounts fit \"\(text)\": \(uids.joined(separator: "; "))",
        advice: "Use more of the uid.")
    }
    return fitting
  }

  /// The uid that a text is or begins. One that is whole names an account also if it was deleted.
  static func uid(_ text: String, _ auth: Auth) throws -> Key {
    let users = try auth.users()
    do throws(TreeError) {
      return try resolve(text, in: users)[0].user.uid
    } catch {
      guard error.code == .userNotFound, let uid = try? Key(text), Account.isUserID(uid) else { throw error }
      return uid
    }
  }

  /// - Throws: `invalidArgument` for what nobody can be called.
  static func require(_ username: String) throws(TreeError) {
    guard let problem = Username.problem(username) else { return }
    throw TreeError(.invalidArgument, problem, advice: "Choose another username.")
  }
}
