import OfflineTree
import TestSupport
import Testing

@testable import Replicator

@Suite struct TCPFailureTests {
  private func failure(_ body: () async throws -> Void) async -> TreeError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? TreeError
    }
  }

  @Test func `a peer connects again when the listener is back`() async throws {
    let devices = try TCPDevices(2)
    let first = try devices.listen()
    let (port, events) = (first.port, EventLog())
    let peer = devices.peer(1, port: port, events)
    peer.start()
    try await eventually("connected and equal") { try devices.areEqual() }
    first.stop()
    try await eventually("disconnected") {
      events.all.contains { if case .disconnected = $0 { true } else { false } }
    }
    try await devices.post("while apart", by: 0)
    try await devices.post("here too", by: 1)
    let second = try devices.listen(port: port)
    try await eventually("equal again") { try devices.areEqual() }
    #expect(events.connectedCount == 2)
    peer.stop()
    second.stop()
  }

  @Test func `a connection that is cut in mid-stream goes on where it was`() async throws {
    let devices = try TCPDevices(2)
    for number in 0..<40 {
      let path = try Path("large/\(number)")
      let text = String(repeating: "y", count: 100_000)
      _ = try await devices.databases[0].write { try $0.setValue(.string(text), at: path) }
    }
    let listener = try devices.listen()
    let proxy = try CuttingProxy(to: listener.port, cutAfter: 0)
    let peer = devices.peer(1, port: proxy.port)
    for bytes in [0, 1, 60, 300, 5_000, 700_000, 2_500_000] {
      proxy.allow(bytes)
      let error = await failure { _ = try await peer.syncOnce() }
      #expect(error?.code == .unavailable, "cut after \(bytes)")
    }
    #expect(proxy.cutCount == 7)
    proxy.allow(.max)
    _ = try await peer.syncOnce()
    #expect(try devices.areEqual())
    proxy.stop()
    listener.stop()
  }

  @Test func `a port in use is named`() throws {
    let devices = try TCPDevices(1)
    let listener = try devices.listen()
    let error = #expect(throws: TreeError.self) { try devices.listen(port: listener.port) }
    #expect(error?.code == .unavailable)
    #expect(error?.context.contains("\(listener.port)") == true)
    listener.stop()
  }

  @Test func `a port is free again after stop`() async throws {
    let devices = try TCPDevices(1)
    let listener = try devices.listen()
    listener.stop()
    try await eventually("it listens again") {
      guard let again = try? devices.listen(port: listener.port) else { return false }
      again.stop()
      return true
    }
  }

  @Test(arguments: [("127.0.0.1", 1), ("no-such-host.invalid", 4_000), ("::1", 1)])
  func `nobody there is an error with advice`(host: String, port: Int) async throws {
    let devices = try TCPDevices(1)
    let peer = TCPPeer(database: devices.databases[0], host: host, port: port) { _ in }
    let error = await failure { _ = try await peer.syncOnce() }
    #expect(error?.code == .unavailable)
    #expect(error?.context.contains(host) == true)
    #expect(error?.advice.isEmpty == false)
  }

  @Test func `a home that dials itself is told so`() async throws {
    let devices = try TCPDevices(1)
    let events = EventLog()
    let listener = try devices.listen(0, events)
    let error = await failure { _ = try await devices.peer(0, port: listener.port).syncOnce() }
    #expect(error?.code == .invalidArgument)
    #expect(error?.context.contains("itself") == true)
    try await eventually("the listener says so too") { events.errors.contains { $0.context.contains("itself") } }
    listener.stop()
  }

  @Test func `a home of another space is a stranger at both ends`() async throws {
    let (devices, others) = (try TCPDevices(1), try TCPDevices(1))
    let events = EventLog()
    let listener = try devices.listen(0, events)
    let error = await failure { _ = try await others.peer(0, port: listener.port).syncOnce() }
    #expect(error?.code == .unavailable)
    #expect(error?.context.contains("space's key") == true)
    #expect(error?.advice.contains("same space") == true)
    try await eventually("the listener says so too") { events.errors.contains { $0.context.contains("space's key") } }
    listener.stop()
  }

  @Test func `garbage and strangers do not disturb a listener`() async throws {
    let devices = try TCPDevices(2)
    let events = EventLog()
    let listener = try devices.listen(0, events)
    let addresses = try SocketAddress.resolve(host: "127.0.0.1", port: listener.port, forListening: false)
    let requests: [[UInt8]] = [
      Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8), [0xFF, 0xFF, 0xFF, 0xFF, 1], [1, 0, 0, 0, 6, 0], [],
    ]
    for request in requests {
      let socket = try SocketCalls.connected(to: addresses, "listener", milliseconds: 5_000)
      _ = SocketCalls.write(request[...], to: socket)
      SocketCalls.close(socket)
    }
    try await eventually("all were turned away") { events.errors.count == requests.count }
    #expect(events.connectedCount == 0)
    _ = try await devices.peer(1, port: listener.port).syncOnce()
    #expect(try devices.areEqual())
    listener.stop()
  }

  @Test func `the oldest of too many silent connections gives way`() async throws {
    let devices = try TCPDevices(2)
    let events = EventLog()
    let listener = try devices.listen(0, events)
    let addresses = try SocketAddress.resolve(host: "127.0.0.1", port: listener.port, forListening: false)
    var sockets: [Int32] = []
    for _ in 0..<Doorway<Connection>.halfOpenPerAddress {
      sockets.append(try SocketCalls.connected(to: addresses, "listener", milliseconds: 5_000))
    }
    _ = try await devices.peer(1, port: listener.port).syncOnce()
    #expect(try devices.areEqual())
    try await eventually("one gave way") { events.errors.contains { $0.context.contains("at once") } }
    for socket in sockets { SocketCalls.close(socket) }
    listener.stop()
  }

  @Test func `two hundred idle connections leave room for work`() async throws {
    let devices = try TCPDevices(2)
    let events = EventLog()
    let listener = try devices.listen(0, events)
    let peers = (0..<200).map { _ in devices.peer(1, port: listener.port) }
    // As many at a time as may shake hands from one address.
    let groups = Doorway<Connection>.halfOpenPerAddress
    for (index, peer) in peers.enumerated() {
      peer.start()
      if index % groups == groups - 1 {
        try await eventually("\(index) are connected") { events.connectedCount > index }
      }
    }
    try await devices.post("news", by: 0)
    try await eventually("it arrived") { try devices.areEqual() }
    #expect(events.errors == [])
    for peer in peers { peer.stop() }
    listener.stop()
  }

  @Test func `a cancelled exchange ends`() async throws {
    let devices = try TCPDevices(2)
    // Somebody who accepts and never speaks.
    let silent = try ListeningSocket(host: "127.0.0.1", port: 0)
    silent.start(accepted: { _ in }, failed: { _ in })
    let peer = devices.peer(1, port: silent.port)
    let task = Task { try await peer.syncOnce() }
    try await Task.sleep(for: .milliseconds(100))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    silent.close()
  }

  @Test func `intervals between attempts grow to a minute and begin anew`() {
    var backOff = BackOff()
    var last = 0.0
    for _ in 0..<20 {
      let next = backOff.next(chance: 128)
      #expect(next >= last && next < 61)
      last = next
    }
    #expect(last > 59)
    #expect(backOff.next(chance: 0) < backOff.next(chance: 255))
    backOff.reset()
    #expect(backOff.next(chance: 128) < 1.1)
  }
}
