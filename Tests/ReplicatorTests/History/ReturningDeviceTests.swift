import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// A device that was away while the others made many changes, and all but the keeper dropped them.
@Suite struct ReturningDeviceTests {
  private static let keeper = 0
  private static let away = 3
  private static let votes = 100

  /// A keeper, two that drop, and one that is away with votes of its own that nobody has.
  private func devices() async throws -> HistoryDevices {
    let devices = try await HistoryDevices(5)
    // What it has seen last is no act of authority: those stay everywhere.
    for counter in HistoryDevices.counters[..<3] {
      try devices.write(0) { try $0.increment(Path(counter), by: .int(1)) }
    }
    try await devices.meet(Self.away, 0)
    for number in 0..<Self.votes {
      let path = HistoryDevices.counters[number % HistoryDevices.counters.count]
      try devices.write(Self.away) { try $0.vote(Path(path), voter: Key("away\(number)"), choice: 1) }
    }
    try await devices.live([Self.keeper, 1, 2], rounds: 9)
    try await devices.tellKeepers([1, 2])
    try devices.expectSame([Self.keeper, 1, 2, HistoryDevices.secondKeeper])
    for dropper in [1, 2] {
      let report = try devices.compact(dropper)
      #expect(report.droppedChanges > 100 && report.silentKeepers.isEmpty)
      #expect(try devices[dropper].history().droppedChanges == UInt64(report.droppedChanges))
    }
    return devices
  }

  /// How often each of the votes counts, by the totals without and with them.
  private func totals(_ devices: HistoryDevices, at index: Int) throws -> [Int64] {
    try HistoryDevices.counters.map { path in
      switch try devices.value(path, at: index) {
      case .int(let number): number
      default: 0
      }
    }
  }

  /// Each counter has got five votes more, of five voters.
  private func expectCounted(
    _ devices: HistoryDevices, since before: [Int64], at indices: [Int],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let each = Int64(Self.votes / HistoryDevices.counters.count)
    for index in indices {
      #expect(try totals(devices, at: index) == before.map { $0 + each }, sourceLocation: sourceLocation)
    }
  }

  @Test func `it comes back to a keeper: each of its votes counts once, and nothing resurrects`() async throws {
    let devices = try await devices()
    let before = try totals(devices, at: Self.keeper)
    try await devices.meet(Self.away, Self.keeper)
    for other in [1, 2, 4, 1] { try await devices.meet(other, Self.keeper) }
    try expectCounted(devices, since: before, at: [0, 1, 2, 3, 4])
    try devices.expectSame([0, 1, 2, 3, 4])
  }

  @Test func `it comes back to devices that dropped: it waits, says whom to connect to, and then goes on by itself`()
    async throws
  {
    let devices = try await devices()
    let before = try totals(devices, at: Self.keeper)
    // Only those that dropped are there.
    for _ in 0..<2 {
      try await devices.meet(Self.away, 1)
      try await devices.meet(2, 1)
    }
    #expect(try totals(devices, at: 1) == before)
    let status = try devices[1].history()
    #expect(status.waitingChanges > 0)
    #expect(Set(status.keepers.map(\.deviceName)) == ["device 0", "device 4"])
    #expect(try !devices[1].wantedHistory(limit: 1).isEmpty)
    // Then a keeper comes; nobody writes anything for it.
    let report = try await devices.meet(1, Self.keeper)
    #expect(report.fetched > 0)
    #expect(try devices[1].history().waitingChanges == 0)
    try expectCounted(devices, since: before, at: [1])
    try await devices.meet(1, Self.keeper)
    for _ in 0..<2 {
      for other in [2, Self.away] { try await devices.meet(other, Self.keeper) }
    }
    try expectCounted(devices, since: before, at: [0, 1, 2, 3])
    try devices.expectSame([0, 1, 2, 3])
  }

  @Test func `twins of it both come back and both go on: each vote still counts once`() async throws {
    let devices = try await devices()
    let before = try totals(devices, at: Self.keeper)
    try devices.devices.copy(Self.away)
    let twin = 5
    try await devices.meet(Self.away, 1)
    try await devices.meet(twin, 2)
    try devices.write(Self.away) { try $0.increment(Path("left"), by: .int(1)) }
    try devices.write(twin) { try $0.increment(Path("right"), by: .int(1)) }
    for _ in 0..<4 {
      for other in [Self.away, twin, 1, 2, 4] { try await devices.meet(other, Self.keeper) }
    }
    try expectCounted(devices, since: before, at: [0, 1, 2, 3, 4, 5])
    for index in 0...5 {
      #expect(try devices.value("left", at: index) == 1 && devices.value("right", at: index) == 1)
    }
    try devices.expectSame([0, 1, 2, 3, 4, 5])
  }
}
