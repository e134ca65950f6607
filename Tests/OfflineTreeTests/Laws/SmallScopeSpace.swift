import OfflineTree
import TestSupport

/// Many cases of small scope in one space: each under a path of its own, so that they share logs and databases and
/// nothing else.
struct SmallScopeSpace {
  let space: ModelSpace
  let cases: [SmallScope.Case]
  /// The changes of each case: the beginning, if any, then one for each write.
  private(set) var changes: [[Record]] = []
  /// By log: the one that writes the beginnings, then the three writers.
  private(set) var logs: [RawLog]

  init(_ cases: [SmallScope.Case]) throws {
    self.cases = cases
    space = try ModelSpace(devices: ["begins", "first", "second", "third"], seed: 1)
    logs = space.logs
    for (index, item) in cases.enumerated() { try write(item, index) }
  }

  static func prefix(_ index: Int) -> Path { PathKey("c\(index)").path }

  private mutating func write(_ item: SmallScope.Case, _ index: Int) throws {
    let base = UInt64(10_000 * (index + 1))
    var records: [Record] = []
    let beginning = try SmallScopeSpace.moved(item.initial.operations, index)
    if !beginning.isEmpty { records.append(try logs[0].write(beginning, stamp: .at(base))) }
    let start = records
    for (writer, write) in item.writes.enumerated() {
      let operations = try SmallScopeSpace.moved(
        write.kind.operations(write.path, writer: Int64(writer + 1)), index)
      let seen = seen(item.shape, writer, start, Array(records.dropFirst(start.count)))
      let stamp = stamp(item.shape, writer, base, case: index)
      records.append(try logs[writer + 1].write(operations, seeing: seen, stamp: stamp))
    }
    changes.append(records)
  }

  /// The least that says what the writer had seen.
  private func seen(_ shape: SmallScope.Shape, _ writer: Int, _ start: [Record], _ written: [Record]) -> [Record] {
    switch (shape, writer) {
    case (.pairInTurn, 1), (.thirdSawFirst, 2): [written[0]]
    case (.thirdSawBoth, 2): written
    default: start
    }
  }

  /// Rivals have equal, rising or falling stamps, case by case; who saw another is above it.
  private func stamp(_ shape: SmallScope.Shape, _ writer: Int, _ base: UInt64, case index: Int) -> Stamp {
    let isLater =
      (shape == .pairInTurn && writer == 1) || ([.thirdSawFirst, .thirdSawBoth].contains(shape) && writer == 2)
    if isLater { return .at(base + 200) }
    return switch index % 3 {
    case 0: .at(base + 100)
    case 1: .at(base + 100 + UInt64(writer))
    default: .at(base + 100 - UInt64(writer))
    }
  }

  private static func moved(_ operations: [OfflineTree.Operation], _ index: Int) throws -> [OfflineTree.Operation] {
    let base = prefix(index)
    func moved(_ path: PathKey) throws -> PathKey { PathKey(try base.appending(path.path)) }
    return try operations.map { operation in
      switch operation {
      case .clear(let path): .clear(try moved(path))
      case .put(let path, let value): .put(try moved(path), value)
      case .increment(let path, let number): .increment(try moved(path), by: number)
      case .vote(let path, let voter, let choice): .vote(try moved(path), voter: voter, choice: choice)
      case .priority(let path, let value): .priority(try moved(path), value)
      case .file: operation
      }
    }
  }

  /// A database that got the logs in this order.
  func listener(order: [Int]) throws -> Listener {
    let listener = try Listener(space)
    for log in order { try listener.receive([logs[log].run]) }
    return listener
  }
}
