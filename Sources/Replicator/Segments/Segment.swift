package import OfflineTree

/// A run of one log's changes as it stands in a file and in a frame. The layout is in docs/format.md.
package struct Segment: Equatable, Sendable {
  package let header: SegmentHeader
  /// The changes; their bodies share the storage of the bytes that the segment was read from.
  package let run: ChangeRun

  /// The changes' bytes that one file or frame is filled up to; one longer change still gets one of its own.
  package static let targetBytes = 4 << 20

  /// The bytes of a segment: O(bytes), the chain is hashed.
  ///
  /// - Parameter head: The hash of the run's last change, if it is known.
  /// - Throws: `.invalidArgument` for an empty run, `.limitExceeded` beyond `Limits.segmentBytes`.
  package static func encode(
    _ run: ChangeRun, head: Bytes32? = nil, space: SpaceID
  ) throws(TreeError) -> [UInt8] {
    guard !run.bodies.isEmpty else { throw TreeError(.invalidArgument, "a segment needs a change") }
    let bodyLength = run.bodies.reduce(0) { $0 + prefixedLength($1.count) }
    let header = SegmentHeader(
      of: run, head: head ?? run.head, bodyLength: min(bodyLength, Limits.segmentBytes), space: space)
    guard header.segmentByteCount <= Limits.segmentBytes else {
      throw TreeError(.limitExceeded, "a segment of \(bodyLength) bytes is beyond \(Limits.segmentBytes)")
    }
    var writer = ByteWriter(capacity: header.segmentByteCount)
    header.encode(to: &writer)
    for body in run.bodies {
      writer.varint(body.count)
      writer.append(body)
    }
    let check = Sodium.hash16(writer.bytes)
    writer.append(check)
    return writer.bytes
  }

  /// Reads and checks a whole segment: sizes before anything is allocated, then the checks, then the chain.
  ///
  /// - Throws: `.damaged`, `.limitExceeded`, `.unsupportedVersion`, or `.invalidArgument` for one of another space.
  package init(decoding bytes: [UInt8], space: SpaceID) throws(TreeError) {
    header = try SegmentHeader(decoding: bytes[...])
    guard header.space == space else {
      throw TreeError(.invalidArgument, "segment belongs to the space \(header.space)")
    }
    guard bytes.count == header.segmentByteCount else {
      throw TreeError(.damaged, "segment has \(bytes.count) bytes, but is said to have \(header.segmentByteCount)")
    }
    let end = bytes.count - SegmentHeader.checkCount
    guard Sodium.hash16(Array(bytes[..<end])) == Bytes16(bytes[end...]) else {
      throw TreeError(.damaged, "segment does not agree with its check")
    }
    run = try Self.readBodies(bytes, upTo: end, header)
    guard run.head == header.head else {
      throw TreeError(.damaged, "segment's changes do not lead from its hash before to its head")
    }
  }

  private static func readBodies(
    _ bytes: [UInt8], upTo end: Int, _ header: SegmentHeader
  ) throws(TreeError) -> ChangeRun {
    var reader = ByteReader(bytes, SegmentHeader.byteCount..<end)
    var bodies: [ArraySlice<UInt8>] = []
    // At most half the bodies' length, which the header was held against.
    bodies.reserveCapacity(header.count)
    for _ in 0..<header.count {
      let body = try reader.prefixed("change", limit: Limits.changeBytes)
      if body.isEmpty { throw reader.damaged("change", "is empty") }
      bodies.append(body)
    }
    try reader.finish("segment")
    return ChangeRun(log: header.log, first: header.first, hashBefore: header.hashBefore, bodies: bodies)
  }

  private static func prefixedLength(_ count: Int) -> Int {
    var (length, rest) = (count + 1, count >> 7)
    while rest > 0 {
      length += 1
      rest >>= 7
    }
    return length
  }
}
