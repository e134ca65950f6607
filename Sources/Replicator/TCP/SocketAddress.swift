import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// One address that a host's name stands for.
struct SocketAddress: Sendable {
  let family: Int32
  /// The bytes of a `sockaddr`.
  private let bytes: [UInt8]

  /// Looks a host up; blocks, for as long as the name service takes.
  static func resolve(host: String, port: Int, forListening: Bool) throws(TreeError) -> [SocketAddress] {
    guard (0...65_535).contains(port), forListening || port > 0 else {
      throw TreeError(.invalidArgument, "\(port) is no port", advice: "A port is a number from 1 to 65535")
    }
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = AF_UNSPEC
    unsafe hints.ai_socktype = SocketCalls.stream
    unsafe hints.ai_flags = AI_NUMERICSERV | (forListening ? AI_PASSIVE : 0)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, String(port), &hints, &list)
    guard code == 0 else {
      // Constant text of the C library.
      let words = unsafe gai_strerror(code).map { unsafe String(cString: $0) }
      throw TreeError(
        .unavailable, "cannot find the host \(host)", advice: "Check its name and this machine's network",
        underlying: words)
    }
    defer { unsafe freeaddrinfo(list) }
    var result: [SocketAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
      if let address = unsafe entry.pointee.ai_addr {
        let raw = unsafe UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen))
        result.append(SocketAddress(family: unsafe entry.pointee.ai_family, bytes: unsafe Array(raw)))
      }
      unsafe next = entry.pointee.ai_next
    }
    guard !result.isEmpty else { throw TreeError(.unavailable, "the host \(host) has no address") }
    return result
  }

  /// Calls `body` with the address as the C library wants it.
  func withAddress<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    unsafe bytes.withUnsafeBytes { raw in
      unsafe body(raw.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(raw.count))
    }
  }

  /// The port that a bound socket has.
  static func port(of descriptor: Int32) throws(TreeError) -> Int {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &length) }
    }
    guard result == 0 else { throw SocketCalls.error(errno, "cannot read the address of", "a socket") }
    return unsafe withUnsafeBytes(of: &storage) { raw in
      // Both families keep the port, big-endian, behind two bytes.
      unsafe Int(raw[2]) << 8 | Int(raw[3])
    }
  }
}

extension SocketAddress {
  /// The numeric address of the other end, for texts.
  static func peerName(of descriptor: Int32) -> String {
    unsafe withPeer(of: descriptor) { address, length -> String? in
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let result = unsafe getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
      guard result == 0 else { return nil }
      return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    } ?? "a device that connected"
  }

  /// What the connections of one machine have in common: its IPv4 address, or the 64 bits of IPv6 that a network has.
  /// Empty for what has no address.
  static func peerNetwork(of descriptor: Int32) -> [UInt8] {
    unsafe withPeer(of: descriptor) { address, length -> [UInt8]? in
      let raw = unsafe Array(UnsafeRawBufferPointer(start: address, count: Int(length)))
      switch Int32(unsafe address.pointee.sa_family) {
      // Behind the port; and behind the flow label.
      case AF_INET where raw.count >= 8: return Array(raw[4..<8])
      case AF_INET6 where raw.count >= 24:
        let isMapped = raw[8..<18].allSatisfy { $0 == 0 } && raw[18] == 0xFF && raw[19] == 0xFF
        return Array(isMapped ? raw[20..<24] : raw[8..<16])
      default: return nil
      }
    } ?? []
  }

  private static func withPeer<R>(
    of descriptor: Int32, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> R?
  ) -> R? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard unsafe getpeername(descriptor, address, &length) == 0 else { return nil }
        return unsafe body(address, length)
      }
    }
  }
}
