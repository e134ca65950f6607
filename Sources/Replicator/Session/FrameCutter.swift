import OfflineTree

/// Cuts a stream of bytes into frames, however the bytes arrive.
///
/// A length is held against the limit of its type before a byte of the body is kept, and memory grows only with bytes
/// that have arrived.
struct FrameCutter: Sendable {
  /// Bytes of a length and a type.
  static let headerCount = 5

  private var header: [UInt8] = []
  private var body: [UInt8] = []
  private var length = 0

  /// Bytes of an unfinished frame.
  var heldBytes: Int { header.count + body.count }

  /// The frame that `rest` completes, if it does; what follows stays in `rest`.
  ///
  /// - Parameter limit: The largest body of a type; it throws for a type that has none.
  mutating func next(
    _ rest: inout ArraySlice<UInt8>, limit: (UInt8) throws(TreeError) -> Int
  ) throws(TreeError) -> (type: UInt8, body: [UInt8])? {
    if header.count < Self.headerCount {
      let part = rest.prefix(Self.headerCount - header.count)
      header += part
      rest = rest.dropFirst(part.count)
      guard header.count == Self.headerCount else { return nil }
      length = header[..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
      let largest = try limit(header[4])
      guard length <= largest else {
        throw TreeError(.damaged, "the other end announced a message of \(length) bytes, beyond \(largest)")
      }
      body.reserveCapacity(min(length, 1 << 16))
    }
    let part = rest.prefix(length - body.count)
    body += part
    rest = rest.dropFirst(part.count)
    guard body.count == length else { return nil }
    defer {
      header.removeAll(keepingCapacity: true)
      body = []
    }
    return (header[4], body)
  }

  /// A frame around a body that is written by `encode`.
  ///
  /// - Throws: `.limitExceeded` if the body is beyond the limit of its type: the other end would refuse it.
  static func frame(
    type: UInt8, limit: Int, capacity: Int, _ encode: (inout ByteWriter) -> Void
  ) throws(TreeError) -> [UInt8] {
    var writer = ByteWriter(capacity: capacity + headerCount)
    writer.append([UInt8](repeating: 0, count: headerCount))
    encode(&writer)
    var bytes = writer.bytes
    let length = bytes.count - headerCount
    guard length <= limit else {
      throw TreeError(.limitExceeded, "a message of type \(type) has \(length) bytes, beyond \(limit)")
    }
    for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: length >> (8 * index)) }
    bytes[4] = type
    return bytes
  }
}
