/// Children in the order of a query, in pieces, so that one comes or goes in O(log n + a piece).
struct SortedEntries: Sendable {
  private let query: QueryParameters
  /// None is empty.
  private var pieces: [[QueryEntry]] = []
  private(set) var count = 0

  private static let pieceLimit = 512

  /// - Parameter entries: In the query's order.
  init(_ query: QueryParameters, _ entries: [QueryEntry] = []) {
    self.query = query
    count = entries.count
    let half = Self.pieceLimit / 2
    for start in stride(from: 0, to: entries.count, by: half) {
      pieces.append(Array(entries[start..<min(start + half, entries.count)]))
    }
  }

  var isEmpty: Bool { count == 0 }
  var first: QueryEntry? { pieces.first?.first }
  var last: QueryEntry? { pieces.last?.last }
  /// O(n).
  var all: [QueryEntry] { pieces.flatMap { $0 } }

  func prefix(_ limit: Int) -> [QueryEntry] {
    var result: [QueryEntry] = []
    for piece in pieces {
      if result.count >= limit { break }
      result += piece.prefix(limit - result.count)
    }
    return result
  }

  func suffix(_ limit: Int) -> [QueryEntry] {
    var parts: [ArraySlice<QueryEntry>] = []
    var rest = limit
    for piece in pieces.reversed() where rest > 0 {
      parts.append(piece.suffix(rest))
      rest -= min(rest, piece.count)
    }
    return parts.reversed().flatMap { $0 }
  }

  mutating func insert(_ entry: QueryEntry) {
    count += 1
    if pieces.isEmpty { return pieces.append([entry]) }
    let piece = min(self.piece(for: entry), pieces.count - 1)
    pieces[piece].insert(entry, at: place(of: entry, in: pieces[piece]))
    guard pieces[piece].count > Self.pieceLimit else { return }
    let upper = Array(pieces[piece][(Self.pieceLimit / 2)...])
    pieces[piece].removeLast(upper.count)
    pieces.insert(upper, at: piece + 1)
  }

  /// Removes an entry that is there as it is.
  mutating func remove(_ entry: QueryEntry) {
    let piece = self.piece(for: entry)
    guard piece < pieces.count else { return }
    let place = place(of: entry, in: pieces[piece])
    guard place < pieces[piece].count, pieces[piece][place] == entry else { return }
    pieces[piece].remove(at: place)
    if pieces[piece].isEmpty { pieces.remove(at: piece) }
    count -= 1
  }

  /// The entry before one that is there or could be.
  func predecessor(of entry: QueryEntry) -> QueryEntry? {
    let piece = self.piece(for: entry)
    let place = piece < pieces.count ? place(of: entry, in: pieces[piece]) : 0
    if place > 0 { return pieces[piece][place - 1] }
    return piece > 0 ? pieces[piece - 1].last : nil
  }

  /// The first piece that does not end before an entry.
  private func piece(for entry: QueryEntry) -> Int {
    partition(pieces.count) { pieces[$0].last.map { query.precedes($0, entry) } ?? false }
  }

  private func place(of entry: QueryEntry, in piece: [QueryEntry]) -> Int {
    partition(piece.count) { query.precedes(piece[$0], entry) }
  }

  /// The first of `count` indices for which `isBefore` does not hold; it holds for those before.
  private func partition(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
