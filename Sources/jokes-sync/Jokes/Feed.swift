internal import OfflineTree

/// Which jokes to show, and in what order.
struct Feed: Sendable {
  enum Order: Sendable {
    /// By id, which is by time.
    case newest
    /// By votes, the newer first where they are equal.
    case top
  }

  var order = Order.newest
  var limit = 20

  /// - Complexity: O(limit) for the newest, O(jokes) for the top, keeping `limit` of them at a time; and what is not
  ///   shown.
  func jokes(for viewer: Viewer, in transaction: ReadTransaction) throws -> [Joke] {
    let ids =
      switch order {
      case .newest: try newest(for: viewer, in: transaction)
      case .top: try top(for: viewer, in: transaction)
      }
    return try ids.map { try Joke($0, for: viewer, in: transaction) }
  }

  private static let page = 1_024

  private func newest(for viewer: Viewer, in transaction: ReadTransaction) throws -> [Key] {
    var ids: [Key] = []
    try forEachPage(of: min(limit, Feed.page), in: transaction) { page in
      for id in page where try ids.count < limit && viewer.sees(id, in: transaction) { ids.append(id) }
      return ids.count < limit
    }
    return ids
  }

  private func top(for viewer: Viewer, in transaction: ReadTransaction) throws -> [Key] {
    var best: [(id: Key, votes: Scalar)] = []
    try forEachPage(of: Feed.page, in: transaction) { page in
      for id in page where try viewer.sees(id, in: transaction) {
        let votes = try transaction.scalar(at: try JokesSpace.votes(id)).flatMap { $0.isNumber ? $0 : nil }
        best.append((id, votes ?? .int(0)))
      }
      if page.count < Feed.page || best.count > limit + Feed.page { best = keepBest(best) }
      return true
    }
    return keepBest(best).map(\.id)
  }

  /// Ids, newest first, until `body` says no.
  private func forEachPage(
    of size: Int, in transaction: ReadTransaction, _ body: ([Key]) throws -> Bool
  ) throws {
    var last: Key?
    while true {
      let page = try transaction.keys(at: JokesSpace.jokes, before: last, reversed: true, limit: size)
      guard try body(page), page.count == size else { return }
      last = page.last
    }
  }

  /// Stable: jokes come in newest first, and stay so among equals.
  private func keepBest(_ jokes: [(id: Key, votes: Scalar)]) -> [(id: Key, votes: Scalar)] {
    let sorted = jokes.enumerated().sorted { left, right in
      if right.element.votes < left.element.votes { return true }
      if left.element.votes < right.element.votes { return false }
      return left.offset < right.offset
    }
    return sorted.prefix(limit).map(\.element)
  }
}
