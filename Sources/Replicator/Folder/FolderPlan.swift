internal import OfflineTree

/// Which files to read next: a merge over logs, each of which goes on with the file that extends it furthest.
///
/// Knows headers and how far each log has come, nothing else.
struct FolderPlan {
  struct Item: Sendable {
    let name: FolderName
    let header: SegmentHeader
  }

  /// Bytes of changes that are opened at once, all logs together.
  static let openBytes = 64 << 20

  /// What the database lacks, by log, sorted by first number.
  private var items: [LogID: [Item]] = [:]
  /// What was handed over since something last moved: it would only be blocked again.
  private var tried: Set<SegmentHeader> = []
  /// Not yet taken out of `items`, which is done once a round.
  private var removed: Set<FolderName> = []

  init(_ needed: some Sequence<Item>) {
    for item in needed { items[item.header.log, default: []].append(item) }
    for log in items.keys {
      items[log]?.sort { ($0.header.first, $0.header.last, $0.name) < ($1.header.first, $1.header.last, $1.name) }
    }
  }

  mutating func remove(_ item: Item) { removed.insert(item.name) }

  /// What is left, by log.
  mutating func remaining() -> [LogID: [Item]] {
    if removed.isEmpty { return items }
    for log in items.keys { items[log]?.removeAll { removed.contains($0.name) } }
    items = items.filter { !$0.value.isEmpty }
    removed = []
    return items
  }

  mutating func markTried(_ item: Item) { tried.insert(item.header) }

  /// Something was applied: what was blocked is worth another try.
  mutating func somethingMoved() { tried = [] }

  /// Files to open and hand over together, at least one if there is any that may help.
  ///
  /// - Parameters:
  ///   - tips: How far the database has each log.
  ///   - wanted: Logs that others wait for; they come first.
  mutating func next(tips: [LogID: UInt64], wanted: Set<LogID>) -> [Item] {
    let items = remaining()
    var result: [Item] = []
    var bytes = 0
    let logs = items.keys.sorted { (wanted.contains($0) ? 0 : 1, $0) < (wanted.contains($1) ? 0 : 1, $1) }
    for log in logs where bytes < Self.openBytes {
      for item in next(in: items[log] ?? [], tip: tips[log]) {
        result.append(item)
        bytes += item.header.bodyLength
      }
    }
    return result
  }

  private func next(in items: [Item], tip: UInt64?) -> [Item] {
    let untried = items.filter { !tried.contains($0.header) }
    var result: [Item] = []
    var (reached, bytes, index) = (tip, 0, 0)
    while bytes < Segment.targetBytes {
      var best: Item?
      while index < untried.count, untried[index].header.first <= reached.map({ $0 + 1 }) ?? 0 {
        let item = untried[index]
        if reached.map({ item.header.last > $0 }) ?? true, item.header.last > best?.header.last ?? 0 || best == nil {
          best = item
        }
        index += 1
      }
      guard let best else { break }
      result.append(best)
      reached = best.header.last
      bytes += best.header.bodyLength
    }
    if !result.isEmpty { return result }
    // Nothing goes further, but a file that the database does not have is another branch: it is found by its hashes.
    return untried.first { $0.header.first <= tip.map { $0 + 1 } ?? 0 }.map { [$0] } ?? []
  }
}
