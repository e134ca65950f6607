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
  var user: Key?

  /// - Complexity: O(limit) for the newest, O(jokes) for the top, keeping `limit` of them at a time.
  func jokes(in transaction: ReadTransaction) throws -> [Joke] {
    let ids =
      switch order {
      case .newest: try transaction.keys(at: JokesSpace.jokes, reversed: true, limit: limit)
      case .top: try top(in: transaction)
      }
    return try ids.map { try Joke($0, user: user, in: transaction) }
  }

  private static let page = 1_024

  private func top(in transaction: ReadTransaction) throws -> [Key] {
    var best: [(id: Key, votes: Scalar)] = []
    var last: Key?
    while true {
      let page = try transaction.keys(at: JokesSpace.jokes, before: last, reversed: true, limit: Feed.page)
      for id in page {
        let votes = try transaction.scalar(at: try JokesSpace.votes(id)).flatMap { $0.isNumber ? $0 : nil }
        best.append((id, votes ?? .int(0)))
      }
      if page.count < Feed.page || best.count > limit + Feed.page { best = keepBest(best) }
      guard page.count == Feed.page else { return best.map(\.id) }
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
