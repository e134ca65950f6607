internal import OfflineTree

/// For whom jokes are shown.
struct Viewer: Sendable {
  /// Who is logged in, if anybody is.
  let user: User?
  let hidden: Set<Key>
  /// Are jokes shown that were taken away, or that the user hides?
  let seesAll: Bool
  /// Who has an account, by the bytes of the username: of two with one name, both.
  private let uids: [[UInt8]: Set<Key>]

  init(of database: Database, seesAll: Bool = false) throws {
    let auth = Auth(database)
    user = try auth.currentUser
    uids = try auth.users().reduce(into: [:]) { $0[Array($1.user.username.utf8), default: []].insert($1.user.uid) }
    hidden = Set(try user.map { try HiddenJokes(of: $0.uid, in: database).ids() } ?? [])
    self.seesAll = seesAll
  }

  /// Does a username say who somebody is?
  func isKnown(_ uid: Key?, as username: String) -> Bool {
    guard let uid else { return false }
    return uids[Array(username.utf8)] == [uid]
  }

  func sees(_ id: Key, in transaction: ReadTransaction) throws -> Bool {
    if seesAll { return true }
    return try !hidden.contains(id) && transaction.removal(of: try JokesSpace.joke(id)) == nil
  }
}

extension Option {
  static let all = Option(name: "--all", summary: "also jokes that were taken away, or that you hide; marked")
}
