/// The set of changes that a change had seen, over the dense indices that this replica gives to logs.
///
/// Closed under causality: with a change it holds all before it. Indices are local and never leave the replica.
/// Contexts that follow from each other share what they have in common: in a space of many logs each change would
/// otherwise take as much memory as there are logs.
package struct Context: Equatable, Sendable {
  /// By log index: how many changes of the log are in the set, in pieces of up to `pieceCount`. Missing ones are 0.
  private var pieces: [[UInt64]] = []
  private static let pieceCount = 64

  package init() {}

  package init(counts: [UInt64]) {
    for (log, count) in counts.enumerated() where count > 0 { raise(log, to: count) }
  }

  /// Is the change (log, seq) in the set? O(1).
  package func covers(_ log: Int, _ seq: UInt64) -> Bool { seq < count(log) }

  /// How many changes of the log are in the set: the first seq that is not.
  package func count(_ log: Int) -> UInt64 {
    let (piece, place) = log.quotientAndRemainder(dividingBy: Context.pieceCount)
    return piece < pieces.count && place < pieces[piece].count ? pieces[piece][place] : 0
  }

  package mutating func raise(_ log: Int, to count: UInt64) {
    if self.count(log) >= count { return }
    let (piece, place) = log.quotientAndRemainder(dividingBy: Context.pieceCount)
    if piece >= pieces.count { pieces.append(contentsOf: repeatElement([], count: piece + 1 - pieces.count)) }
    let missing = place + 1 - pieces[piece].count
    if missing > 0 { pieces[piece].append(contentsOf: repeatElement(0, count: missing)) }
    pieces[piece][place] = count
  }

  /// - Complexity: O(logs / 64) and, where the two differ, the logs of a piece.
  package mutating func formUnion(_ other: Context) {
    for (index, piece) in other.pieces.enumerated() {
      if index == pieces.count {
        pieces.append(piece)
      } else if !Context.areOne(pieces[index], piece) {
        unite(index, piece)
      }
    }
  }

  private mutating func unite(_ index: Int, _ other: [UInt64]) {
    if Context.contains(other, pieces[index]) {
      pieces[index] = other
    } else if !Context.contains(pieces[index], other) {
      let longer = max(pieces[index].count, other.count)
      pieces[index] = (0..<longer).map { place in
        max(place < pieces[index].count ? pieces[index][place] : 0, place < other.count ? other[place] : 0)
      }
    }
  }

  package func contains(_ other: Context) -> Bool {
    other.pieces.indices.allSatisfy { index in
      let mine = index < pieces.count ? pieces[index] : []
      return Context.areOne(mine, other.pieces[index]) || Context.contains(mine, other.pieces[index])
    }
  }

  private static func contains(_ left: [UInt64], _ right: [UInt64]) -> Bool {
    right.indices.allSatisfy { right[$0] <= ($0 < left.count ? left[$0] : 0) }
  }

  /// Are the two in one place in memory?
  private static func areOne(_ left: [UInt64], _ right: [UInt64]) -> Bool {
    unsafe left.withUnsafeBufferPointer { left in
      unsafe right.withUnsafeBufferPointer { unsafe left.baseAddress == $0.baseAddress && left.count == $0.count }
    }
  }

  /// Shares with others what it has in common with one of them.
  package mutating func share(_ pool: inout Set<[UInt64]>) {
    for index in pieces.indices { pieces[index] = pool.insert(pieces[index]).memberAfterInsert }
  }

  /// Log index and count of every log that has changes in the set.
  package var entries: [(log: Int, count: UInt64)] {
    pieces.enumerated().flatMap { index, piece in
      piece.enumerated().compactMap { place, count in
        count > 0 ? (log: index * Context.pieceCount + place, count: count) : nil
      }
    }
  }

  package static func == (left: Context, right: Context) -> Bool { left.contains(right) && right.contains(left) }
}

/// One change by its local log index and its number.
package struct Dot: Hashable, Sendable {
  package let log: Int
  package let seq: UInt64

  package init(log: Int, seq: UInt64) {
    self.log = log
    self.seq = seq
  }
}
