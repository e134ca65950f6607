package import OfflineTree

/// A run of one log's changes in its plain form, as it stands in a frame. The layout is in docs/format.md.
package struct Segment: Equatable, Sendable {
  package let header: SegmentHeader
  /// The changes; their bodies share the storage of the bytes that the segment was read from.
  package let run: ChangeRun

  /// The changes' bytes that one file or frame is filled up to; one longer change still gets one of its own.
  package static let targetBytes = 4 << 20

  /// The plain bytes of a segment: O(bytes), the chain is hashed.
  ///
  /// - Parameter head: The hash of the run's last change, if it is known.
  /// - Throws: `.invalidArgument` for a run that is empty or not signed, `.limitExceeded` beyond `Limits`.
  package static func encode(
    _ run: ChangeRun, head: Bytes32? = nil, space: SpaceID
  ) throws(TreeError) -> [UInt8] {
    let header = try header(of: run, head: head, space: space)
    var writer = ByteWriter(capacity: header.plainByteCount)
    header.encodePlain(to: &writer)
    encodeBodies(of: run, to: &writer)
    let check = Sodium.hash16(writer.bytes)
    writer.append(check)
    return writer.bytes
  }

  /// Reads and checks a whole plain segment: sizes before anything is allocated, then the checks, then the chain.
  ///
  /// Whether the signature is the log's device's is for the database to say, which knows the device.
  ///
  /// - Throws: `.damaged`, `.limitExceeded`, `.unsupportedVersion`, or `.invalidArgument` for one of another space.
  package init(decoding bytes: [UInt8], space: SpaceID) throws(TreeError) {
    header = try SegmentHeader(decodingPlain: bytes[...])
    guard header.space == space else {
      throw TreeError(.invalidArgument, "segment belongs to the space \(header.space)")
    }
    guard bytes.count == header.plainByteCount else {
      throw TreeError(.damaged, "segment has \(bytes.count) bytes, but is said to have \(header.plainByteCount)")
    }
    let end = bytes.count - SegmentHeader.checkCount
    guard Sodium.hash16(Array(bytes[..<end])) == Bytes16(bytes[end...]) else {
      throw TreeError(.damaged, "segment does not agree with its check")
    }
    run = try Self.decodeBodies(bytes[SegmentHeader.plainHeaderCount..<end], header)
  }
}
