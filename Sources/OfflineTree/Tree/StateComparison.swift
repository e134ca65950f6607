/// A question to a replica with the same changes, about the sums that its state hash is made of.
package enum StateQuestion: Equatable, Sendable {
  /// The sum of each of the 256 buckets.
  case buckets
  /// Of one bucket, the items at the paths of a range, in pieces.
  case pieces(StateRange)
}

/// Path keys above one and up to another, of one bucket.
package struct StateRange: Equatable, Sendable {
  package var bucket: UInt8
  /// Nil: from the first on.
  package var above: [UInt8]?
  /// Nil: to the last.
  package var through: [UInt8]?

  package init(bucket: UInt8, above: [UInt8]? = nil, through: [UInt8]? = nil) {
    (self.bucket, self.above, self.through) = (bucket, above, through)
  }

  func contains(_ key: [UInt8]) -> Bool {
    if let above, !above.lexicographicallyPrecedes(key) { return false }
    if let through, through.lexicographicallyPrecedes(key) { return false }
    return true
  }
}

/// Consecutive paths of a range: how many hold something, and what their items add up to.
package struct StatePiece: Equatable, Sendable {
  /// The last path of the piece; the next one begins above it. The last piece of a range ends where the range does.
  package var through: [UInt8]
  package var paths: UInt64
  package var sum: UInt128

  package init(through: [UInt8], paths: UInt64, sum: UInt128) {
    (self.through, self.paths, self.sum) = (through, paths, sum)
  }
}

package enum StateAnswer: Equatable, Sendable {
  case buckets([UInt128])
  case pieces([StatePiece])

  /// Pieces in one answer.
  package static let pieces = 256
}

/// Finds, by asking another replica with the same clock, the path at which the two differ.
///
/// A search by halves, or rather by parts of 256: each answer names the sums of so many pieces, and the search goes on in
/// the first that differs. Among n paths that is 2 + log 256 (n / 256) questions, four for sixteen million.
package struct StateComparison: Sendable {
  package enum Step: Equatable, Sendable {
    case ask(StateQuestion)
    /// The two differ here.
    case differs(PathKey)
    /// Nothing differs, or no longer.
    case same
  }

  /// More than any tree takes.
  package static let questions = 10

  private var range: StateRange?
  /// Questions asked so far.
  package private(set) var asked = 0

  package init() {}

  /// The first question.
  package mutating func begin() -> Step { ask(.buckets) }

  /// What follows from an answer.
  ///
  /// - Throws: `damaged` for an answer to something else.
  package mutating func step(_ answer: StateAnswer, _ database: Database) throws(TreeError) -> Step {
    switch (answer, range) {
    case (.buckets(let theirs), nil):
      guard theirs.count == StateHash.buckets else { throw StateComparison.unasked }
      let own = try database.stateBuckets()
      guard let bucket = own.indices.first(where: { own[$0] != theirs[$0] }) else { return .same }
      return narrow(to: StateRange(bucket: UInt8(bucket)))
    case (.pieces(let theirs), let range?):
      let own = try database.statePieces(of: range, cutAs: theirs)
      guard let place = own.indices.first(where: { own[$0].piece.sum != StateComparison.sum(theirs, $0) }) else {
        return .same
      }
      // Where the other has one path at most, what this replica has before it is its own alone.
      guard place < theirs.count, theirs[place].paths > 1 else {
        return .differs(PathKey(trusted: own[place].first ?? (place < theirs.count ? theirs[place].through : [])))
      }
      guard asked < StateComparison.questions else { throw StateComparison.unasked }
      let above = place > 0 ? own[place - 1].piece.through : range.above
      return narrow(to: StateRange(bucket: range.bucket, above: above, through: theirs[place].through))
    default: throw StateComparison.unasked
    }
  }

  private static func sum(_ pieces: [StatePiece], _ place: Int) -> UInt128 {
    place < pieces.count ? pieces[place].sum : 0
  }

  private mutating func narrow(to range: StateRange) -> Step {
    self.range = range
    return ask(.pieces(range))
  }

  private mutating func ask(_ question: StateQuestion) -> Step {
    asked += 1
    return .ask(question)
  }

  private static let unasked = TreeError(.damaged, "an answer does not fit what was asked for")
}
