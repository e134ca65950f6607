internal import OfflineTree

/// What the plain and the sealed form have in common.
extension Segment {
  /// The header for a run that can be written.
  static func header(of run: ChangeRun, head: Bytes32?, space: SpaceID) throws(TreeError) -> SegmentHeader {
    guard !run.bodies.isEmpty else { throw TreeError(.invalidArgument, "a segment needs a change") }
    guard let signature = run.signature else {
      throw TreeError(.invalidArgument, "the changes up to \(run.last) of the log \(run.log) are not signed there")
    }
    let bodyLength = run.bodies.reduce(0) { $0 + prefixedLength($1.count) }
    let header = SegmentHeader(
      of: run, head: head ?? run.head, bodyLength: bodyLength, signature: signature, space: space)
    guard header.plainByteCount <= Limits.segmentBytes, run.bodies.count <= Limits.segmentChanges else {
      throw TreeError(
        .limitExceeded,
        "a segment of \(run.bodies.count) changes in \(bodyLength) bytes is beyond \(Limits.segmentChanges) changes or \(Limits.segmentBytes) bytes"
      )
    }
    return header
  }

  static func encodeBodies(of run: ChangeRun, to writer: inout ByteWriter) {
    for body in run.bodies {
      writer.varint(body.count)
      writer.append(body)
    }
  }

  /// The changes, which share the storage of `bytes`, if they are those that the header names.
  ///
  /// - Complexity: O(bytes), the chain is hashed.
  static func decodeBodies(_ bytes: ArraySlice<UInt8>, _ header: SegmentHeader) throws(TreeError) -> ChangeRun {
    var reader = ByteReader(bytes)
    var bodies: [ArraySlice<UInt8>] = []
    // The header was held against the limits.
    bodies.reserveCapacity(header.count)
    for _ in 0..<header.count {
      let body = try reader.prefixed("change", limit: Limits.changeBytes)
      if body.isEmpty { throw reader.damaged("change", "is empty") }
      bodies.append(body)
    }
    try reader.finish("segment")
    let run = ChangeRun(
      log: header.log, first: header.first, hashBefore: header.hashBefore, bodies: bodies,
      signature: header.signature)
    guard run.head == header.head else {
      throw TreeError(.damaged, "segment's changes do not lead from its hash before to its head")
    }
    return run
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
