public import OfflineTree

/// Where a remote is: a folder that something else carries, or a device that listens.
///
/// Addresses are compared by their bytes, as file systems do: composed and decomposed forms of a name differ.
public enum RemoteAddress: Hashable, Sendable, CustomStringConvertible {
  /// A folder that other homes of the space can see as well: synced, shared or carried by hand.
  case folder(path: String)
  /// A device that listens for others.
  case tcp(host: String, port: Int)

  /// Reads what `description` writes: `folder PATH` or `tcp HOST:PORT`.
  ///
  /// - Throws: `.invalidArgument` for anything else.
  public init(parsing text: String) throws(TreeError) {
    let bytes = Array(text.utf8)
    guard let space = bytes.firstIndex(of: UInt8(ascii: " ")) else { throw Self.unknown(text) }
    let rest = String(decoding: bytes[(space + 1)...], as: UTF8.self)
    if bytes[..<space].elementsEqual("folder".utf8) {
      guard !rest.isEmpty else { throw Self.unknown(text) }
      self = .folder(path: rest)
    } else if bytes[..<space].elementsEqual("tcp".utf8) {
      self = try Self.tcp(parsing: rest)
    } else {
      throw Self.unknown(text)
    }
  }

  /// Reads `HOST:PORT`; a numeric IPv6 host stands in brackets.
  ///
  /// - Throws: `.invalidArgument` if the host is missing or the port is not a number from 1 to 65535.
  public static func tcp(parsing text: String) throws(TreeError) -> RemoteAddress {
    let (host, port) = try hostAndPort(text)
    guard port > 0 else { throw invalidPort(text) }
    return .tcp(host: host, port: port)
  }

  /// Splits `HOST:PORT`; port 0 is allowed, for listening on any.
  ///
  /// - Throws: `.invalidArgument`.
  public static func hostAndPort(_ text: String) throws(TreeError) -> (host: String, port: Int) {
    let bytes = Array(text.utf8)
    guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else { throw invalidPort(text) }
    var host = bytes[..<colon]
    if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(UInt8(ascii: ":")) {
      throw TreeError(
        .invalidArgument, "\(text) has more than one colon", advice: "Write an IPv6 address in brackets: [::1]:4321")
    }
    let digits = bytes[(colon + 1)...]
    guard !host.isEmpty, !digits.isEmpty, digits.count <= 5,
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { throw invalidPort(text) }
    let port = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    guard port <= 65_535 else { throw invalidPort(text) }
    return (String(decoding: host, as: UTF8.self), port)
  }

  public var description: String {
    switch self {
    case .folder(let path): "folder \(path)"
    case .tcp(let host, let port):
      host.utf8.contains(UInt8(ascii: ":")) ? "tcp [\(host)]:\(port)" : "tcp \(host):\(port)"
    }
  }

  /// Do peers speak now, rather than leave files behind?
  var isLive: Bool {
    switch self {
    case .folder: false
    case .tcp: true
    }
  }

  public static func == (left: RemoteAddress, right: RemoteAddress) -> Bool {
    left.description.utf8.elementsEqual(right.description.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    for byte in description.utf8 { hasher.combine(byte) }
  }

  private static func unknown(_ text: String) -> TreeError {
    TreeError(.invalidArgument, "\(text) is no remote", advice: "Write: folder PATH, or tcp HOST:PORT")
  }

  private static func invalidPort(_ text: String) -> TreeError {
    TreeError(.invalidArgument, "\(text) is not HOST:PORT", advice: "A port is a number from 1 to 65535")
  }
}
