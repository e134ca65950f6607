package import OfflineTree

/// Cuts a stream of bytes into messages, however the bytes arrive.
///
/// A length is held against the limit of its type before a byte of the body is kept, and memory grows only with bytes
/// that have arrived.
package struct FrameDecoder: Sendable {
  private var header: [UInt8] = []
  private var body: [UInt8] = []
  private var kind: MessageKind = .ping
  private var length = 0

  package init() {}

  /// Bytes of an unfinished frame.
  package var heldBytes: Int { header.count + body.count }

  /// The messages that `bytes` complete.
  ///
  /// Messages before the bad one are delivered; after an error the decoder must not be used again.
  /// - Throws: `.damaged`, or `.unsupportedVersion` for the hello of another version.
  /// - Complexity: O(bytes).
  package mutating func received(
    _ bytes: ArraySlice<UInt8>, deliver: (Message) -> Void
  ) throws(TreeError) {
    var rest = bytes
    while true {
      if header.count < MessageKind.headerCount {
        let part = rest.prefix(MessageKind.headerCount - header.count)
        header += part
        rest = rest.dropFirst(part.count)
        guard header.count == MessageKind.headerCount else { return }
        try readHeader()
      }
      let part = rest.prefix(length - body.count)
      body += part
      rest = rest.dropFirst(part.count)
      guard body.count == length else { return }
      deliver(try Message(kind, decoding: body))
      header.removeAll(keepingCapacity: true)
      body = []
    }
  }

  private mutating func readHeader() throws(TreeError) {
    guard let kind = MessageKind(rawValue: header[4]) else {
      throw TreeError(
        .damaged, "the other end sent a message of the unknown type \(header[4])",
        advice: "Check the address: it must be that of an OfflineTree program that listens")
    }
    self.kind = kind
    length = header[..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
    guard length <= kind.limit else {
      throw TreeError(.damaged, "the other end announced a \(kind) message of \(length) bytes, beyond \(kind.limit)")
    }
    body.reserveCapacity(min(length, 1 << 16))
  }
}
