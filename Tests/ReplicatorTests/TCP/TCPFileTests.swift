import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// Contents of files over real sockets.
@Suite struct TCPFileTests {
  private static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  private static func reference(_ devices: TCPDevices, _ index: Int, _ name: String) -> StorageReference {
    devices.databases[index].storage.reference(withPath: name)
  }

  @Test func `files that were stored offline come with a sync, small ones by themselves, others when they are read`()
    async throws
  {
    let devices = try TCPDevices(2)
    let small = Self.noise(700_000, seed: 1)
    let large = Self.noise(1_500_000, seed: 2)
    try await devices.databases[1].storage.setFetching(.upTo(bytes: 1_000_000))
    try await Self.reference(devices, 0, "small").putData(small)
    try await Self.reference(devices, 0, "large").putData(large)
    let listener = try devices.listen()
    defer { listener.stop() }
    let report = try await devices.peer(1, port: listener.port).syncOnce()
    // Two chunks and a manifest.
    #expect(report.chunks == 3)
    #expect(try await Self.reference(devices, 1, "small").getData(maxSize: .max) == small)
    #expect(try await Self.reference(devices, 1, "large").getMetadata().isHere == false)
    let reference = Self.reference(devices, 1, "large")
    let reading = StorageTask { _ in try await reference.getData(maxSize: .max) }
    let peer = devices.peer(1, port: listener.port)
    peer.start()
    defer { peer.stop() }
    #expect(try await reading.value == large)
    #expect(try devices.areEqual())
  }

  @Test func `what one stores the others fetch while they are connected, also through one that had it not at first`()
    async throws
  {
    let devices = try TCPDevices(3)
    for database in devices.databases { try await database.storage.setFetching(.all) }
    let listener = try devices.listen()
    defer { listener.stop() }
    let peers = [1, 2].map { devices.peer($0, port: listener.port) }
    for peer in peers { peer.start() }
    defer { for peer in peers { peer.stop() } }
    try await eventually("all know each other") { try devices.areEqual() }
    let bytes = Self.noise(1_200_000, seed: 3)
    try await Self.reference(devices, 1, "a/b").putData(bytes)
    try await eventually("the third device has the content") {
      try devices.databases[2].read { try $0.chunkCount() } == 4
    }
    #expect(try await Self.reference(devices, 2, "a/b").getData(maxSize: .max) == bytes)
  }

  @Test func `a connection that is cut again and again goes on where it was`() async throws {
    let devices = try TCPDevices(2)
    try await devices.databases[1].storage.setFetching(.all)
    let listener = try devices.listen()
    defer { listener.stop() }
    // The device is to be known before connections are cut.
    _ = try await devices.peer(1, port: listener.port).syncOnce()
    let bytes = Self.noise(6 << 20, seed: 4)
    try await Self.reference(devices, 0, "a").putData(bytes)
    let proxy = try CuttingProxy(to: listener.port, cutAfter: 0)
    defer { proxy.stop() }
    let peer = devices.peer(1, port: proxy.port)
    var counts: [Int] = []
    for bytes in [1_500_000, 2_500_000, 3_000_000] {
      proxy.allow(bytes)
      await #expect(throws: TreeError.self) { try await peer.syncOnce() }
      counts.append(try devices.databases[1].read { try $0.chunkCount() })
    }
    #expect(counts == counts.sorted() && counts[2] > counts[0] && counts[2] < 13)
    proxy.allow(.max)
    _ = try await peer.syncOnce()
    // Nothing that had come was sent again but for what was under way.
    #expect(proxy.answeredBytes < 2 * bytes.count)
    #expect(try await Self.reference(devices, 1, "a").getData(maxSize: .max) == bytes)
  }
}
