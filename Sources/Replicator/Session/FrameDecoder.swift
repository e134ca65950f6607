package import OfflineTree

/// Cuts a stream of bytes into the messages of a session, however the bytes arrive.
package struct FrameDecoder: Sendable {
  private var cutter = FrameCutter()

  package init() {}

  /// Bytes of an unfinished frame.
  package var heldBytes: Int { cutter.heldBytes }

  /// The messages that `bytes` complete.
  ///
  /// Messages before the bad one are delivered; after an error the decoder must not be used again.
  /// - Throws: `.damaged`, or `.unsupportedVersion` for the hello of another version.
  /// - Complexity: O(bytes).
  package mutating func received(
    _ bytes: ArraySlice<UInt8>, deliver: (Message) -> Void
  ) throws(TreeError) {
    var rest = bytes
    while let frame = try cutter.next(&rest, limit: { (type) throws(TreeError) in try Self.kind(type).limit }) {
      deliver(try Message(try Self.kind(frame.type), decoding: frame.body))
    }
  }

  private static func kind(_ type: UInt8) throws(TreeError) -> MessageKind {
    guard let kind = MessageKind(rawValue: type) else {
      throw TreeError(
        .damaged, "the other end sent a message of the unknown type \(type)",
        advice: "Update both programs to the same version")
    }
    return kind
  }
}
