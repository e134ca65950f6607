internal import OfflineTree

/// For whom jokes are shown.
struct Viewer: Sendable {
  /// Who is logged in, if anybody is.
  let user: User?
  let hidden: Set<Key>
  /// Are jokes shown that were taken away, or that the user hides?
  let seesAll: Bool

  init(of database: Database, seesAll: Bool = false) throws {
    user = try Auth(database).currentUser
    hidden = Set(try user.map { try HiddenJokes(of: $0.uid, in: database).ids() } ?? [])
    self.seesAll = seesAll
  }

  func sees(_ id: Key, in transaction: ReadTransaction) throws -> Bool {
    if seesAll { return true }
    return try !hidden.contains(id) && transaction.removal(of: try JokesSpace.joke(id)) == nil
  }
}

extension Option {
  static let all = Option(name: "--all", summary: "also jokes that were taken away, or that you hide; marked")
}
