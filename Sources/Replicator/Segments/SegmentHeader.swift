package import OfflineTree

/// What a segment holds, readable without its body. The layouts are in docs/format.md.
package struct SegmentHeader: Hashable, Sendable {
  package let space: SpaceID
  /// The id under which the log was introduced.
  package let log: LogID
  package let first: UInt64
  package let last: UInt64
  package let hashBefore: Bytes32
  /// The hash of the last change.
  package let head: Bytes32
  /// Bytes of the bodies, their lengths included, as they are when nothing is compressed.
  package let bodyLength: Int
  /// What the device signed of the last change; not judged here.
  package let signature: Signature

  /// How many changes the segment has.
  package var count: Int { Int(last - first) + 1 }

  package var position: LogPosition { LogPosition(log: log, seq: last, hash: head) }

  init(of run: ChangeRun, head: Bytes32, bodyLength: Int, signature: Signature, space: SpaceID) {
    self.space = space
    log = run.log
    first = run.first
    last = run.last
    hashBefore = run.hashBefore
    self.head = head
    self.bodyLength = bodyLength
    self.signature = signature
  }

  /// Numbers and hashes, in the order in which both forms have them.
  init(
    reading reader: inout ByteReader, space: SpaceID,
    lengths: (inout ByteReader) throws(TreeError) -> (count: UInt32, bodyLength: UInt32)
  ) throws(TreeError) {
    self.space = space
    log = try reader.bytes16("log")
    first = try reader.u64("first number")
    last = try reader.u64("last number")
    hashBefore = try reader.bytes32("hash before")
    head = try reader.bytes32("head")
    let (count, bodyLength) = try lengths(&reader)
    self.bodyLength = Int(bodyLength)
    signature = Signature(try reader.bytes(Signature.byteCount, "signature"))
    try requireLimits(count: count)
  }

  func encodePlace(to writer: inout ByteWriter) {
    writer.append(log)
    writer.u64(first)
    writer.u64(last)
    writer.append(hashBefore)
    writer.append(head)
  }

  private func requireLimits(count: UInt32) throws(TreeError) {
    guard count > 0, last >= first, last < .max, last - first == UInt64(count - 1) else {
      throw TreeError(.damaged, "segment has \(count) changes, but is said to hold \(first) to \(last)")
    }
    guard count <= Limits.segmentChanges else {
      throw TreeError(.limitExceeded, "segment has \(count) changes, beyond \(Limits.segmentChanges)")
    }
    guard plainByteCount <= Limits.segmentBytes else {
      throw TreeError(.limitExceeded, "segment has \(plainByteCount) bytes, beyond \(Limits.segmentBytes)")
    }
    guard bodyLength >= 2 * Int(count) else {
      throw TreeError(.damaged, "segment has \(count) changes in \(bodyLength) bytes: too few")
    }
    guard first > 0 || hashBefore == space else {
      throw TreeError(.damaged, "segment begins with change 0, but not with its space's id")
    }
  }
}
