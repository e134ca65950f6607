import OfflineTree
import TestSupport
import Testing

@testable import Replicator

@Suite struct TCPExchangeTests {
  @Test func `a newcomer gets the space, then both send what they wrote apart`() async throws {
    let devices = try TCPDevices(2)
    try await devices.post("first", by: 0)
    let listener = try devices.listen()
    let peer = devices.peer(1, port: listener.port)
    let received = try await peer.syncOnce()
    // The genesis, the invite and the note; and this device's introduction goes back.
    #expect(received.received == 3 && received.sent == 1)
    #expect(received.holes.isEmpty && received.refused.isEmpty)
    #expect(received.peers.first?.identity.deviceKey == devices.databases[0].deviceKey)
    try await devices.post("here", by: 0)
    try await devices.post("there", by: 1)
    let exchanged = try await peer.syncOnce()
    #expect(exchanged.received == 1)
    #expect(exchanged.sent == 1)
    #expect(try devices.areEqual())
    let nothing = try await peer.syncOnce()
    #expect(nothing.received == 0 && nothing.sent == 0 && nothing.duplicates == 0)
    listener.stop()
  }

  @Test func `three connected devices see each other's writes`() async throws {
    let devices = try TCPDevices(3)
    let events = EventLog()
    let listener = try devices.listen(0, events)
    let peers = [1, 2].map { devices.peer($0, port: listener.port) }
    for peer in peers { peer.start() }
    try await eventually("all have the space") { try devices.areEqual() }
    for round in 0..<5 {
      for writer in 0..<3 { try await devices.post("\(round)-\(writer)", by: writer) }
    }
    try await eventually("all are equal") { try devices.areEqual() }
    for reader in 0..<3 { #expect(try devices.note("4-2", at: reader) == "4-2") }
    let clock = try devices.databases[0].clock()
    try await eventually("both acknowledged everything") {
      let keys = events.all.compactMap { event -> Bytes32? in
        if case .acknowledged(let peer, clock, _) = event { peer.deviceKey } else { nil }
      }
      return Set(keys).count == 2
    }
    for peer in peers { peer.stop() }
    listener.stop()
  }

  @Test func `writes on both sides at once come together`() async throws {
    let devices = try TCPDevices(2)
    let listener = try devices.listen()
    let peer = devices.peer(1, port: listener.port)
    _ = try await peer.syncOnce()
    peer.start()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<2 {
        let database = devices.databases[writer]
        group.addTask {
          for number in 0..<200 {
            let path = try Path("counters/all")
            try await database.write { try $0.increment(path, by: .int(1)) }
            if number % 50 == 0 { try await Task.sleep(for: .milliseconds(2)) }
          }
        }
      }
      try await group.waitForAll()
    }
    try await eventually("both are equal") { try devices.areEqual() }
    let path = try Path("counters/all")
    #expect(try devices.databases[1].read { try $0.value(at: path) } == 400)
    peer.stop()
    listener.stop()
  }

  @Test func `more than a window of large values goes through`() async throws {
    let devices = try TCPDevices(2)
    let text = String(repeating: "x", count: 3_000_000)
    for number in 0..<15 {
      let path = try Path("large/\(number)")
      _ = try await devices.databases[0].write { try $0.setValue(.string(text), at: path) }
    }
    let listener = try devices.listen()
    let report = try await devices.peer(1, port: listener.port).syncOnce()
    #expect(report.received == 17)
    #expect(try devices.areEqual())
    listener.stop()
  }

  @Test func `a home and its copy that went on apart end up equal, in logs of their own`() async throws {
    let devices = try TCPDevices(2)
    let listener = try devices.listen()
    _ = try await devices.peer(1, port: listener.port).syncOnce()
    try await devices.post("common", by: 1)
    try devices.copy(1)
    for writer in 1...2 {
      for number in 0..<3 { try await devices.post("by \(writer) \(number)", by: writer) }
    }
    for _ in 0..<2 {
      for index in 1...2 { _ = try await devices.peer(index, port: listener.port).syncOnce() }
    }
    #expect(try devices.areEqual())
    for reader in 0..<3 { #expect(try devices.note("by 2 2", at: reader) == "by 2 2") }
    listener.stop()
  }

  @Test func `an old copy of a home fetches what it had written, and goes on in a new log`() async throws {
    let devices = try TCPDevices(2)
    let listener = try devices.listen()
    _ = try await devices.peer(1, port: listener.port).syncOnce()
    try await devices.post("before", by: 1)
    try devices.copy(1)
    for number in 0..<10 { try await devices.post("lost \(number)", by: 1) }
    _ = try await devices.peer(1, port: listener.port).syncOnce()
    let restored = try await devices.peer(2, port: listener.port).syncOnce()
    #expect(restored.received == 10)
    #expect(try devices.note("lost 9", at: 2) == "lost 9")
    try await devices.post("after", by: 2)
    _ = try await devices.peer(2, port: listener.port).syncOnce()
    _ = try await devices.peer(1, port: listener.port).syncOnce()
    #expect(try devices.areEqual())
    #expect(try devices.databases[0].read { try $0.status() }.forks.isEmpty)
    listener.stop()
  }

  @Test func `a home and its copy that write while both are connected end up equal`() async throws {
    let devices = try TCPDevices(2)
    let listener = try devices.listen()
    _ = try await devices.peer(1, port: listener.port).syncOnce()
    try await devices.post("common", by: 1)
    try devices.copy(1)
    for writer in 1...2 { try await devices.post("apart \(writer)", by: writer) }
    let peers = [1, 2].map { devices.peer($0, port: listener.port) }
    for peer in peers { peer.start() }
    for number in 0..<10 {
      for writer in 0..<3 { try await devices.post("together \(number) \(writer)", by: writer) }
    }
    try await eventually("all are equal") { try devices.areEqual() }
    for reader in 0..<3 { #expect(try devices.note("apart 2", at: reader) == "apart 2") }
    for peer in peers { peer.stop() }
    listener.stop()
  }
}
