import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The few socket calls that a connection needs; each failure a `TreeError`.
enum SocketCalls {
  #if canImport(Glibc)
    static let stream = Int32(SOCK_STREAM.rawValue)
    private static let noSignal = Int32(MSG_NOSIGNAL)
    private static let writing = Int32(SHUT_WR)
  #else
    static let stream = SOCK_STREAM
    private static let noSignal: Int32 = 0
    private static let writing = SHUT_WR
  #endif

  /// What a non-blocking call came to.
  enum Outcome {
    case bytes(Int)
    case wouldBlock
    case failed(Int32)
  }

  /// A socket that does not block, is not inherited, and raises no signal.
  static func open(_ address: SocketAddress, _ name: String) throws(TreeError) -> Int32 {
    let descriptor = socket(address.family, stream, 0)
    guard descriptor >= 0 else { throw error(errno, "cannot open a socket for", name) }
    do throws(TreeError) {
      try prepare(descriptor, name)
    } catch {
      close(descriptor)
      throw error
    }
    return descriptor
  }

  static func prepare(_ descriptor: Int32, _ name: String) throws(TreeError) {
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
      fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0
    else { throw error(errno, "cannot prepare a socket for", name) }
    // Small messages leave at once; these are refinements, and a socket without them works.
    set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
    #if !canImport(Glibc)
      set(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
    #endif
  }

  static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Connects to the first of the addresses that answers; blocks, at most `milliseconds` an address.
  static func connected(
    to addresses: [SocketAddress], _ name: String, milliseconds: Int32
  ) throws(TreeError) -> Int32 {
    var last = TreeError(.unavailable, "cannot connect to \(name)")
    for address in addresses {
      do throws(TreeError) {
        let descriptor = try open(address, name)
        let code = reach(address, descriptor, milliseconds)
        if code == 0 { return descriptor }
        close(descriptor)
        last = Self.error(code, "cannot connect to", name)
      } catch {
        last = error
      }
    }
    throw last
  }

  /// Zero, or what went wrong.
  private static func reach(_ address: SocketAddress, _ descriptor: Int32, _ milliseconds: Int32) -> Int32 {
    let result = unsafe address.withAddress { unsafe connect(descriptor, $0, $1) }
    if result == 0 { return 0 }
    guard errno == EINPROGRESS || errno == EINTR else { return errno }
    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    var ready: Int32 = -1
    repeat { ready = unsafe poll(&wait, 1, milliseconds) } while ready < 0 && errno == EINTR
    if ready == 0 { return ETIMEDOUT }
    if ready < 0 { return errno }
    var (code, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
    return code
  }

  static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Outcome {
    let count = unsafe bytes.withUnsafeBytes { buffer in
      retrying { unsafe send(descriptor, buffer.baseAddress, buffer.count, noSignal) }
    }
    return outcome(count)
  }

  /// Reads up to `buffer`'s length into its beginning.
  static func read(from descriptor: Int32, into buffer: inout [UInt8]) -> Outcome {
    let count = unsafe buffer.withUnsafeMutableBytes { buffer in
      retrying { unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0) }
    }
    return outcome(count)
  }

  private static func retrying(_ call: () -> Int) -> Int {
    while true {
      let count = call()
      if count >= 0 || errno != EINTR { return count }
    }
  }

  private static func outcome(_ count: Int) -> Outcome {
    if count >= 0 { return .bytes(count) }
    return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .failed(errno)
  }

  /// The other end reads on to the end of what was sent, and then sees the end.
  static func endWriting(_ descriptor: Int32) {
    shutdown(descriptor, writing)
  }

  static func close(_ descriptor: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
  }

  /// The one place that turns an `errno` value of a socket into an error.
  static func error(_ code: Int32, _ doing: String, _ name: String) -> TreeError {
    let words = FileSystem.words(for: code)
    let (kind, advice): (TreeError.Code, String) =
      switch code {
      case ECONNREFUSED: (.unavailable, "Nothing listens there: start the other device, or check the port")
      case ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN:
        (.unavailable, "Check that the other device is on and that this one has a network")
      case ECONNRESET, EPIPE, ECONNABORTED: (.unavailable, "It is tried again; nothing is lost")
      case EADDRINUSE: (.unavailable, "Another program listens there: stop it, or choose another port")
      case EADDRNOTAVAIL: (.unavailable, "This machine does not have that address: choose one that it has")
      case EACCES, EPERM: (.inputOutput, "Ports below 1024 need rights that this program does not have: choose another")
      case EMFILE, ENFILE, ENOBUFS, ENOMEM:
        (.unavailable, "Close other programs or raise the limit of open files (ulimit -n)")
      default: (.inputOutput, "")
      }
    return TreeError(kind, "\(doing) \(name)", advice: advice, underlying: words)
  }
}

extension SocketCalls {
  /// Connections that the system completes before they are accepted; where that is full, it drops a newcomer's packets.
  private static let backlog: Int32 = 1_024

  /// A socket that listens.
  static func listening(host: String, port: Int) throws(TreeError) -> Int32 {
    let name = "\(host):\(port)"
    let addresses = try SocketAddress.resolve(host: host, port: port, forListening: true)
    let descriptor = try open(addresses[0], name)
    set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    let isBound = unsafe addresses[0].withAddress { unsafe bind(descriptor, $0, $1) } == 0
    guard isBound, listen(descriptor, backlog) == 0 else {
      let error = error(errno, "cannot listen on", name)
      close(descriptor)
      throw error
    }
    return descriptor
  }

  enum Acceptance {
    case connected(Int32)
    /// Nobody waits.
    case none
    /// Not now: this process or the system has no room.
    case exhausted(TreeError)
  }

  static func nextConnection(_ descriptor: Int32) -> Acceptance {
    while true {
      let accepted = accept(descriptor, nil, nil)
      if accepted >= 0 { return .connected(accepted) }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EAGAIN, EWOULDBLOCK: return .none
      default: return .exhausted(error(errno, "cannot accept", "a connection"))
      }
    }
  }
}
