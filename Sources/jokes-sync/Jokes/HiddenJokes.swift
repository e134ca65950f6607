internal import OfflineTree

/// Jokes that a user does not want to see on this device: a file of the home for each user, an id a line.
struct HiddenJokes: Sendable {
  private let path: String
  private static let limit = 10_000
  private static let byteLimit = limit * (Limits.pathBytes + 1)

  /// - Parameter user: Who does not want to see them; a uid has no slash.
  init(of user: Key, in database: Database) {
    path = "\(database.home)/hidden.\(user)"
  }

  func ids() throws(TreeError) -> [Key] {
    let bytes = try SmallFile.read(path, limit: Self.byteLimit) ?? []
    var ids: [Key] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      do throws(TreeError) {
        ids.append(try Key(utf8: line))
      } catch {
        throw TreeError(.damaged, "\(path) holds what is no joke's id", advice: "Remove the file, and hide again.")
      }
    }
    return ids
  }

  /// Durable on return.
  ///
  /// - Returns: False if it was so already.
  /// - Throws: `limitExceeded` beyond 10,000 jokes.
  func set(_ id: Key, isHidden: Bool) throws(TreeError) -> Bool {
    try FileLock.withLock("\(path).lock") { () throws(TreeError) in
      var ids = try ids()
      if ids.contains(id) == isHidden { return false }
      if isHidden { ids.append(id) } else { ids.removeAll { $0 == id } }
      if ids.count > Self.limit {
        throw TreeError(
          .limitExceeded, "\(Self.limit) jokes are hidden already",
          advice: "Show one again: \"\(Program.name) unhide ID\".")
      }
      try SmallFile.write(ids.flatMap { $0.utf8 + [UInt8(ascii: "\n")] }, to: path)
      return true
    }
  }

  /// Forgets them all.
  func remove() throws(TreeError) {
    try FileSystem.remove(path)
    try FileSystem.remove("\(path).lock")
  }
}
