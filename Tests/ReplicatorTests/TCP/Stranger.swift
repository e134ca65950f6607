import Foundation
import OfflineTree

@testable import Replicator

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A socket of somebody who does not belong here.
final class Stranger {
  private let descriptor: Int32
  /// What came, in all.
  private(set) var receivedCount = 0
  /// The other end has closed.
  private(set) var isClosed = false

  /// - Parameter host: The address of the loopback network to come from: 127.0.0.1 to 127.255.255.254.
  init(to port: Int, from host: String = "127.0.0.1") throws {
    let own = try SocketAddress.resolve(host: host, port: 0, forListening: true)[0]
    let target = try SocketAddress.resolve(host: "127.0.0.1", port: port, forListening: false)[0]
    descriptor = try SocketCalls.open(own, "a stranger")
    let isBound = unsafe own.withAddress { unsafe bind(descriptor, $0, $1) } == 0
    let result = unsafe target.withAddress { unsafe connect(descriptor, $0, $1) }
    guard isBound, result == 0 || errno == EINPROGRESS else {
      throw SocketCalls.error(errno, "cannot connect to", "the listener")
    }
    // Bytes that are sent before it is connected are lost.
    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&wait, 1, 30_000) == 1 else { throw TreeError(.unavailable, "the listener does not listen") }
  }

  deinit { SocketCalls.close(descriptor) }

  func send(_ bytes: [UInt8]) { _ = SocketCalls.write(bytes[...], to: descriptor) }

  /// Reads all that is there.
  func read() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !isClosed {
      switch SocketCalls.read(from: descriptor, into: &buffer) {
      case .bytes(0), .failed: isClosed = true
      case .bytes(let count): receivedCount += count
      case .wouldBlock: return
      }
    }
  }
}

/// Runs `openssl s_client` to its end, with nothing to say.
func runOpenSSL(port: Int, _ arguments: [String]) throws {
  let process = Process()
  process.executableURL = URL(filePath: openSSL)
  process.arguments = ["s_client", "-connect", "127.0.0.1:\(port)", "-quiet"] + arguments
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = FileHandle.nullDevice
  process.standardError = FileHandle.nullDevice
  try process.run()
  process.waitUntilExit()
}

let openSSL = "/usr/bin/openssl"
