package import OfflineTree

/// What a segment holds, readable alone from its first bytes. The layout is in docs/format.md.
package struct SegmentHeader: Hashable, Sendable {
  package let space: SpaceID
  /// The id under which the log was introduced.
  package let log: LogID
  package let first: UInt64
  package let last: UInt64
  package let hashBefore: Bytes32
  /// The hash of the last change.
  package let head: Bytes32
  /// Bytes of the bodies, their lengths included.
  package let bodyLength: Int

  static let magic = Array("OTSG".utf8)
  static let version: UInt8 = 0
  static let unsealed: UInt8 = 0
  static let changes: UInt8 = 1
  static let checkedCount = 162
  static let checkCount = 16
  /// Bytes of a header with its check.
  package static let byteCount = checkedCount + checkCount

  /// How many changes the segment has.
  package var count: Int { Int(last - first) + 1 }

  /// Bytes of the whole segment.
  package var segmentByteCount: Int { Self.byteCount + bodyLength + Self.checkCount }

  package var position: LogPosition { LogPosition(log: log, seq: last, hash: head) }

  init(of run: ChangeRun, head: Bytes32, bodyLength: Int, space: SpaceID) {
    self.space = space
    log = run.log
    first = run.first
    last = run.last
    hashBefore = run.hashBefore
    self.head = head
    self.bodyLength = bodyLength
  }

  func encode(to writer: inout ByteWriter) {
    let start = writer.count
    writer.append(Self.magic)
    writer.u8(Self.version)
    writer.u8(Self.unsealed)
    writer.u8(Self.changes)
    writer.u8(0)
    writer.append(Bytes16.zero)
    writer.append(space)
    writer.append(log)
    writer.u64(first)
    writer.u64(last)
    writer.append(hashBefore)
    writer.append(head)
    writer.u32(UInt32(count))
    writer.u32(UInt32(bodyLength))
    writer.u16(0)
    writer.append(Sodium.hash16(Array(writer.bytes[start...])))
  }
}

extension SegmentHeader {
  /// Reads the header at the beginning of `bytes`, which may go on.
  ///
  /// Nothing is believed before its check is right, and every length is held against its limit.
  ///
  /// - Throws: `.damaged`, or `.unsupportedVersion` for what a newer version wrote.
  package init(decoding bytes: ArraySlice<UInt8>) throws(TreeError) {
    var reader = ByteReader(bytes)
    guard try reader.bytes(4, "segment's magic").elementsEqual(Self.magic) else {
      throw TreeError(.damaged, "this is no segment: it does not begin with OTSG")
    }
    try Self.requireKnown(try reader.u8("segment's version"), Self.version, "version")
    try Self.requireKnown(try reader.u8("segment's suite"), Self.unsealed, "suite")
    try Self.requireKnown(try reader.u8("segment's kind"), Self.changes, "kind")
    guard bytes.count >= Self.byteCount else {
      throw TreeError(.damaged, "segment header is cut off: \(bytes.count) bytes of \(Self.byteCount)")
    }
    let check = Bytes16(bytes.dropFirst(Self.checkedCount))
    guard Sodium.hash16(Array(bytes.prefix(Self.checkedCount))) == check else {
      throw TreeError(.damaged, "segment header does not agree with its check")
    }
    guard try reader.u8("reserved byte") == 0, try reader.bytes16("epoch") == .zero else {
      throw TreeError(.unsupportedVersion, "segment has an epoch, but is not sealed", advice: Self.update)
    }
    space = try reader.bytes32("space")
    log = try reader.bytes16("log")
    first = try reader.u64("first number")
    last = try reader.u64("last number")
    hashBefore = try reader.bytes32("hash before")
    head = try reader.bytes32("head")
    let count = try reader.u32("count")
    bodyLength = Int(try reader.u32("length of the bodies"))
    guard try reader.u16("length of the signature") == 0 else {
      throw TreeError(.unsupportedVersion, "segment is signed, which version 0 does not know", advice: Self.update)
    }
    try requireLimits(count: count)
  }

  private func requireLimits(count: UInt32) throws(TreeError) {
    guard count > 0, last >= first, last < .max, last - first == UInt64(count - 1) else {
      throw TreeError(.damaged, "segment has \(count) changes, but is said to hold \(first) to \(last)")
    }
    guard segmentByteCount <= Limits.segmentBytes else {
      throw TreeError(.limitExceeded, "segment has \(segmentByteCount) bytes, beyond \(Limits.segmentBytes)")
    }
    guard bodyLength >= 2 * Int(count) else {
      throw TreeError(.damaged, "segment has \(count) changes in \(bodyLength) bytes: too few")
    }
    guard first > 0 || hashBefore == space else {
      throw TreeError(.damaged, "segment begins with change 0, but not with its space's id")
    }
  }

  private static let update = "Update this program"

  private static func requireKnown(_ value: UInt8, _ known: UInt8, _ what: String) throws(TreeError) {
    guard value == known else {
      throw TreeError(.unsupportedVersion, "segment has the unknown \(what) \(value)", advice: update)
    }
  }
}
