import CHeap
import Foundation
import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// Who lacks the space's key, on real sockets.
@Suite struct TCPStrangerTests {
  static let openSSLArguments: [[String]] = [
    [], ["-tls1_3"], ["-tls1_2"], ["-tls1_3", "-groups", "P-256:X25519"], ["-tls1_3", "-groups", "P-256"],
    ["-tls1_3", "-psk", "00112233445566778899aabbccddeeff", "-psk_identity", "someone"],
    ["-tls1_3", "-psk", "00112233445566778899aabbccddeeff", "-psk_identity", "someone", "-groups", "P-256:X25519"],
    ["-tls1_3", "-psk", "00112233445566778899aabbccddeeff", "-psk_identity", "someone", "-allow_no_dhe_kex"],
    ["-tls1_2", "-psk", "00112233445566778899aabbccddeeff", "-cipher", "PSK"],
    ["-tls1_3", "-ciphersuites", "TLS_AES_256_GCM_SHA384"], ["-alpn", "h2,http/1.1", "-servername", "localhost"],
  ]

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: openSSL), "openssl is not installed"),
    arguments: openSSLArguments)
  func `openssl without the key gets zero bytes`(arguments: [String]) async throws {
    let devices = try TCPDevices(2)
    let events = EventLog()
    let listener = try devices.listen(0, events)
    let proxy = try CuttingProxy(to: listener.port, cutAfter: .max)
    let port = proxy.port
    try await Task.detached { try runOpenSSL(port: port, arguments) }.value
    try await eventually("it was turned away") { proxy.endCount == 1 && events.errors.count == 1 }
    #expect(proxy.answeredBytes == 0)
    #expect(listener.halfOpenCount == 0)
    // The same way is open to a member.
    _ = try await devices.peer(1, port: port).syncOnce()
    #expect(proxy.answeredBytes > 0)
    proxy.stop()
    listener.stop()
  }

  @Test func `a hello that was recorded is not answered again`() async throws {
    let devices = try TCPDevices(1)
    let events = EventLog()
    let listener = try devices.listen(0, events)
    let epoch = try devices.databases[0].epochs().current
    let hello = try TLSChannel(offering: epoch, nonce: ChannelPair.nonce()).takeOutput()
    let first = try Stranger(to: listener.port)
    first.send(hello)
    try await eventually("it is answered") {
      first.read()
      return first.receivedCount > 0
    }
    let second = try Stranger(to: listener.port)
    second.send(hello)
    try await eventually("it is turned away") {
      second.read()
      return second.isClosed
    }
    #expect(second.receivedCount == 0)
    try await eventually("the listener says so") { events.errors.contains { $0.context.contains("space's key") } }
    listener.stop()
  }

  /// Each sends the beginning of a hello and then nothing more.
  private static func hang(_ count: Int, on listener: TCPListener, from host: (Int) -> String) throws -> [Stranger] {
    try (0..<count).map { index in
      let stranger = try Stranger(to: listener.port, from: host(index))
      stranger.send([0x16, 3, 1, 1, 0, 1, 0])
      return stranger
    }
  }

  static let crowds: [(hosts: Int, halfOpen: Int)] = [(1, 8), (5, 40), (100, 64)]

  @Test(.timeLimit(.minutes(60)), arguments: crowds.indices)
  func `a member connects while five hundred hang`(index: Int) async throws {
    let crowd = Self.crowds[index]
    let devices = try TCPDevices(2)
    let listener = try devices.listen()
    let strangers = try Self.hang(500, on: listener) { "127.0.1.\($0 % crowd.hosts + 1)" }
    try await eventually("all but the newest have to go") {
      for stranger in strangers { stranger.read() }
      return strangers.count { !$0.isClosed } <= crowd.halfOpen
    }
    #expect(listener.halfOpenCount <= crowd.halfOpen)
    _ = try await devices.peer(1, port: listener.port).syncOnce()
    #expect(try devices.areEqual())
    #expect(listener.halfOpenCount <= crowd.halfOpen)
    #expect(strangers.allSatisfy { $0.receivedCount == 0 })
    listener.stop()
  }

  @Test(.enabled(if: heap_live_bytes() >= 0, "this system does not tell the live heap"), .timeLimit(.minutes(60)))
  func `a crowd of strangers costs a bounded amount of memory`() async {
    // In a process of its own, where nobody else allocates.
    await #expect(processExitsWith: .success) {
      let devices = try TCPDevices(2)
      let listener = try devices.listen()
      _ = try await devices.peer(1, port: listener.port).syncOnce()
      func crowd(_ count: Int) async throws {
        for number in 0..<count {
          let stranger = try Stranger(to: listener.port, from: "127.0.2.\(number % 100 + 1)")
          // As much as is taken of anybody, and not a whole message.
          stranger.send([0x16, 3, 1, 0x3F, 0] + [UInt8](repeating: 1, count: TLSChannel.handshakeBytes - 5))
          #expect(listener.halfOpenCount <= 64)
        }
        try await eventually("they are gone") { listener.halfOpenCount == 0 }
      }
      // Threads and their queues come with the first of them.
      try await crowd(1_000)
      let before = heap_live_bytes()
      try await crowd(4_000)
      // Each costs about 60 KiB while it is there: kept, that were 240 MiB.
      #expect(heap_live_bytes() - before < 16 << 20)
      listener.stop()
    }
  }
}
