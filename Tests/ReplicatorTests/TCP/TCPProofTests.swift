import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// Ends that hold the space's key, and go on as they should not.
@Suite struct TCPProofTests {
  private let devices: TCPDevices
  private let events = EventLog()

  init() throws { devices = try TCPDevices(2) }

  private var epoch: EpochKeys { get throws { try devices.databases[0].epochs().current } }

  private func dial(
    _ listener: TCPListener, saying opening: @escaping @Sendable (TLSChannel) throws -> [UInt8]
  ) throws -> HandEnd {
    try HandEnd(to: listener.port, try epoch, opening: opening)
  }

  /// What device 1 says, to prove who it is over a channel.
  private var proof: @Sendable (TLSChannel) throws -> ProofMessage {
    let database = devices.databases[1]
    return { channel in
      let exporter = try channel.exported(for: database.spaceID)
      return ProofMessage(
        role: .client, deviceKey: database.deviceKey, claim: try database.claim(),
        signature: database.sign(.channel, [0x63] + exporter.bytes + database.deviceKey.bytes))
    }
  }

  @Test func `the right proof is answered`() async throws {
    let listener = try devices.listen(0, events)
    let end = try dial(listener) { [proof] in try proof($0).frame() }
    try await eventually("it answers") { end.plain.count > 100 }
    #expect(end.plain.dropFirst(4).first == ProofRole.server.rawValue)
    end.close()
    listener.stop()
  }

  @Test func `whoever holds the key and proves nothing hears nothing`() async throws {
    let listener = try devices.listen(0, events)
    let recorded = Monitor<[UInt8]>([])
    let silent = try dial(listener) { [proof] channel in
      let frame = try proof(channel).frame()
      recorded.withLock { $0 = frame }
      return []
    }
    try await eventually("a proof is there to be replayed") { !recorded.withLock(\.isEmpty) }
    let bad: [[UInt8]] = [
      recorded.withLock(\.self), try Message.ping.frame(), try Message.goodbye(Goodbye(.done)).frame(),
      [0xFF, 0xFF, 0xFF, 0xFF, 0x63], [UInt8](repeating: 0, count: 5), Array("GET / HTTP/1.1\r\n\r\n".utf8),
    ]
    for bytes in bad {
      let end = try dial(listener) { _ in bytes }
      try await eventually("it is cut off") { end.isClosed }
      #expect(end.isEstablished && end.plain == [])
    }
    // One that says nothing at all has five seconds.
    try await eventually("it is cut off") { silent.isClosed }
    #expect(silent.plain == [])
    #expect(events.connectedCount == 0)
    listener.stop()
  }

  @Test func `one of another version is told so`() async throws {
    let listener = try devices.listen(0, events)
    let end = try dial(listener) { [proof] channel in
      var frame = try proof(channel).frame()
      frame[FrameCutter.headerCount] = 2
      return frame
    }
    try await eventually("it is told") { !end.plain.isEmpty && end.isClosed }
    var decoder = ProofDecoder(expecting: .server)
    guard case .goodbye(let goodbye) = try decoder.received(end.plain[...]) else {
      Issue.record("no goodbye")
      return
    }
    #expect(goodbye.reason == .version)
    try await eventually("the listener says so too") { events.errors.contains { $0.code == .unsupportedVersion } }
    listener.stop()
  }

  /// Listens with the space's key, and answers what it hears by `answer`.
  private func listen(
    answer: @escaping @Sendable (HandEnd, [UInt8]) -> Void
  ) throws -> ListeningSocket {
    let socket = try ListeningSocket(host: "127.0.0.1", port: 0)
    let epoch = try epoch
    let ends = Monitor<[HandEnd]>([])
    socket.start(
      accepted: { descriptor in
        guard let channel = try? TLSChannel(accepting: TLSKeyring([epoch], seen: NonceMemory())) else { return }
        let own = Monitor<HandEnd?>(nil)
        let end = HandEnd(channel, descriptor, heard: { bytes in own.withLock(\.self).map { answer($0, bytes) } })
        own.withLock { $0 = end }
        ends.withLock { $0.append(end) }
      }, failed: { _ in })
    return socket
  }

  @Test func `the end that dials believes nobody without a proof`() async throws {
    let recorded = Monitor<[UInt8]>([])
    let answers: [(TreeError.Code, @Sendable (HandEnd, [UInt8]) -> Void)] = [
      // Its own proof comes back.
      (.damaged, { end, bytes in end.send(bytes) }),
      (.damaged, { end, _ in end.send([0, 0, 0, 0, 6]) }),
      (.unsupportedVersion, { end, _ in end.send((try? Message.goodbye(Goodbye(.version, "update")).frame()) ?? []) }),
      (.unavailable, { end, _ in end.close() }),
      (
        .damaged,
        { end, bytes in
          recorded.withLock { $0 = bytes }
          // A proof of the right form, signed by nobody.
          let message = ProofMessage(
            role: .server, deviceKey: Bytes32([UInt8](repeating: 0x58, count: 32)), claim: nil,
            signature: Signature([UInt8](repeating: 1, count: 64)))
          end.send((try? message.frame()) ?? [])
        }
      ),
    ]
    for (code, answer) in answers {
      let socket = try listen(answer: answer)
      let error = await #expect(throws: TreeError.self) { try await devices.peer(1, port: socket.port).syncOnce() }
      #expect(error?.code == code)
      socket.close()
    }
    // It named itself to whoever holds the key, and said nothing more.
    var pair = try ChannelPair()
    pair.carry()
    #expect(try recorded.withLock(\.self).count == proof(pair.client.channel).frame().count)
    #expect(try devices.databases[1].clock().positions.isEmpty)
  }

  @Test func `one in the middle who holds the key gets no further`() async throws {
    let listener = try devices.listen(0, events)
    let (epoch, port) = (try epoch, listener.port)
    let far = Monitor<HandEnd?>(nil)
    let heard = Monitor(0)
    let socket = try listen { near, bytes in
      // What the dialling end says goes to the listener as it is, over the channel that the middle has with it.
      if let end = far.withLock(\.self) { return end.send(bytes) }
      let end = try? HandEnd(
        to: port, epoch, opening: { _ in bytes },
        heard: { bytes in
          heard.withLock { $0 += bytes.count }
          near.send(bytes)
        })
      guard let end else { return }
      far.withLock { $0 = end }
      Task {
        while !end.isClosed { try await Task.sleep(for: .milliseconds(5)) }
        near.close()
      }
    }
    let error = await #expect(throws: TreeError.self) { try await devices.peer(1, port: socket.port).syncOnce() }
    #expect(error?.code == .unavailable)
    try await eventually("the listener saw a bad proof") { events.errors.contains { $0.code == .damaged } }
    #expect(heard.withLock(\.self) == 0)
    socket.close()
    listener.stop()
  }
}
