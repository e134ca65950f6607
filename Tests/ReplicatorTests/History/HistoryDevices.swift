import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// Devices that meet over sockets: the first and the last keep all history, the others as little as they can, in small
/// blocks. With one keeper alone nobody would drop that one's changes.
struct HistoryDevices {
  let devices: TCPDevices
  static let block: UInt64 = 8
  static let secondKeeper = 4
  static let counters = (0..<20).map { "counters/\($0)" }

  subscript(index: Int) -> Database { devices.databases[index] }

  init(_ count: Int) async throws {
    devices = try TCPDevices(count)
    for index in 1..<count - 1 { try devices.databases[index].keepLittle(block: Self.block) }
    for index in [0, count - 1] { try devices.databases[index].setHistoryBlock(Self.block) }
    try devices.databases[count - 1].setHistoryRetention(.all)
    try write(0) { transaction in
      for counter in Self.counters { try transaction.setValue(0 as Value, at: Path(counter)) }
    }
    for index in 1..<count { try await meet(index, 0) }
    try devices.databases[count - 1].upkeep()
    for index in (1..<count).reversed() { try await meet(index, 0) }
  }

  /// Both keepers say what they have to everybody who may drop.
  func tellKeepers(_ droppers: [Int]) async throws {
    let last = Self.secondKeeper
    for _ in 0..<2 {
      try await meet(last, 0)
      for dropper in droppers {
        try await meet(dropper, 0)
        try await meet(dropper, last)
      }
    }
  }

  func write(_ index: Int, _ body: @escaping @Sendable (WriteTransaction) throws -> Void) throws {
    try self[index].write { try body($0) }
  }

  /// One dials the other, and they exchange once.
  @discardableResult
  func meet(_ dialler: Int, _ listener: Int) async throws -> SyncReport {
    let open = try devices.listen(listener)
    defer { open.stop() }
    let replicator = Replicator(database: self[dialler])
    let address = RemoteAddress.tcp(host: "127.0.0.1", port: open.port)
    try replicator.addRemote(address)
    let result = try #require(try await replicator.syncOnce().first)
    try replicator.removeRemote(address)
    if let error = result.error { throw error }
    // What the listener's program writes down of who dialled it.
    try Replicator(database: self[listener]).keepIfKeeper(self[dialler].identity, self[dialler].clock())
    return result.report
  }

  @discardableResult
  func compact(_ index: Int) throws -> HistoryReport { try Replicator(database: self[index]).compact() }

  /// Many changes of several devices, increments, choices of a voter, and clears that had seen them.
  func live(_ writers: [Int], rounds: Int) async throws {
    for round in 0..<rounds {
      for writer in writers {
        for number in 0..<Int(Self.block) {
          let path = Self.counters[(round * 7 + writer * 3 + number) % Self.counters.count]
          try write(writer) { try $0.increment(Path(path), by: .int(1)) }
        }
        let voted = Self.counters[(round + writer) % Self.counters.count]
        try write(writer) { try $0.vote(Path(voted), voter: Key("voter\(writer)"), choice: round % 3 - 1) }
      }
      // Takes away what was counted up to here, and nothing else.
      if round % 3 == 2 {
        let path = Self.counters[round % Self.counters.count]
        try write(writers[0]) { try $0.setValue(0 as Value, at: Path(path)) }
      }
      for writer in writers where writer != 0 { try await meet(writer, 0) }
    }
    for writer in writers where writer != 0 { try await meet(writer, 0) }
  }

  func value(_ path: String, at index: Int) throws -> Value {
    try self[index].read { try $0.value(at: Path(path)) }
  }

  func expectSame(_ indices: [Int], sourceLocation: SourceLocation = #_sourceLocation) throws {
    try expectEqual(indices.map { self[$0] }, sourceLocation: sourceLocation)
  }
}
