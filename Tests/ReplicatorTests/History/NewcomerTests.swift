import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// A newcomer begins with a checkpoint, over sockets.
@Suite struct NewcomerTests {
  private func space() async throws -> HistoryDevices {
    let devices = try await HistoryDevices(5)
    try await devices.live([0, 1, 2], rounds: 4)
    try await devices.tellKeepers([1, 2])
    return devices
  }

  private func newcomer(_ devices: HistoryDevices) throws -> Database {
    let invite = try devices[0].invite()
    let database = try Database.join(
      at: "\(devices.devices.directory)/newcomer\(hexadecimal(Sodium.randomBytes(4)))", invite: invite,
      deviceName: "newcomer",
      options: Database.Options(durability: .unsafeNoSync))
    try database.keepLittle(block: HistoryDevices.block)
    return database
  }

  private func meet(_ newcomer: Database, _ devices: HistoryDevices, _ index: Int) async throws -> SyncReport {
    let listener = try devices.devices.listen(index)
    defer { listener.stop() }
    return try await TCPPeer(database: newcomer, host: "127.0.0.1", port: listener.port) { _ in }.syncOnce()
  }

  @Test func `it takes the checkpoint, then what came since, and has what the others have`() async throws {
    let devices = try await space()
    let newcomer = try newcomer(devices)
    defer { newcomer.close() }
    try devices[0].attest()
    try await devices.live([0, 1, 2], rounds: 1)
    let report = try await meet(newcomer, devices, 0)
    #expect(report.hasBegunWithCheckpoint && report.refused.isEmpty && report.notes.isEmpty)
    #expect(report.received < 60)
    _ = try await meet(newcomer, devices, 0)
    try expectEqual([newcomer, devices[0]])
    #expect(try newcomer.history().droppedChanges >= 48)
    #expect(try newcomer.verify().isSound)
    // It is a member like any other.
    try post("hello", 2, on: newcomer)
    _ = try await meet(newcomer, devices, 0)
    try expectEqual([newcomer, devices[0]])
  }

  @Test func `what not every keeper is known to have it fetches, too`() async throws {
    let devices = try await space()
    let newcomer = try newcomer(devices)
    defer { newcomer.close() }
    // The second keeper has not heard of these.
    try await devices.live([0, 1, 2], rounds: 3)
    try devices[0].attest()
    let report = try await meet(newcomer, devices, 0)
    #expect(report.hasBegunWithCheckpoint && report.fetched >= 32)
    let status = try newcomer.history()
    #expect(status.droppedChanges > 0 && status.waitingChanges == 0)
    #expect(try newcomer.wantedHistory(limit: 1).isEmpty)
    _ = try await meet(newcomer, devices, 0)
    try expectEqual([newcomer, devices[0]])
  }

  @Test func `where there is none, or it was changed on the way, it reads the history`() async throws {
    let devices = try await space()
    let first = try newcomer(devices)
    defer { first.close() }
    #expect(try await !meet(first, devices, 0).hasBegunWithCheckpoint)
    _ = try await meet(first, devices, 0)
    try expectEqual([first, devices[0]])
    var bytes = try devices[0].attest().encoded
    bytes[bytes.count / 2] ^= 1
    try FileSystem.writeFileDurably("\(devices[0].home)/checkpoint", bytes)
    let second = try newcomer(devices)
    defer { second.close() }
    let report = try await meet(second, devices, 0)
    #expect(!report.hasBegunWithCheckpoint && report.notes.contains { $0.contains("was not taken") })
    _ = try await meet(second, devices, 0)
    try expectEqual([second, devices[0]])
  }
}
