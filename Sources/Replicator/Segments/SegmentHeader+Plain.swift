internal import OfflineTree

/// The header of a frame: 242 bytes, of which the last 16 are a check.
extension SegmentHeader {
  static let magic = Array("OTSG".utf8)
  static let version: UInt8 = 1
  static let unsealed: UInt8 = 0
  static let changes: UInt8 = 1
  static let checkedCount = 226
  static let checkCount = 16
  /// Bytes of a plain header with its check.
  static let plainHeaderCount = checkedCount + checkCount

  /// Bytes of the whole segment in its plain form.
  package var plainByteCount: Int { Self.plainHeaderCount + bodyLength + Self.checkCount }

  func encodePlain(to writer: inout ByteWriter) {
    let start = writer.count
    writer.append(Self.magic)
    writer.append([Self.version, Self.unsealed, Self.changes, 0])
    writer.append(Bytes16.zero)
    writer.append(space)
    encodePlace(to: &writer)
    writer.u32(UInt32(count))
    writer.u32(UInt32(bodyLength))
    writer.u16(UInt16(Signature.byteCount))
    writer.append(signature.bytes)
    writer.append(Sodium.hash16(Array(writer.bytes[start...])))
  }

  /// Reads the plain header at the beginning of `bytes`, which may go on.
  ///
  /// Nothing is believed before its check is right, and every length is held against its limit.
  ///
  /// - Throws: `.damaged`, `.limitExceeded`, or `.unsupportedVersion` for what another version wrote.
  init(decodingPlain bytes: ArraySlice<UInt8>) throws(TreeError) {
    var reader = ByteReader(bytes)
    guard try reader.bytes(4, "segment's magic").elementsEqual(Self.magic) else {
      throw TreeError(.damaged, "this is no segment: it does not begin with OTSG")
    }
    try requireKnown(try reader.u8("segment's version"), Self.version, "version")
    try requireKnown(try reader.u8("segment's suite"), Self.unsealed, "suite")
    try requireKnown(try reader.u8("segment's kind"), Self.changes, "kind")
    guard bytes.count >= Self.plainHeaderCount else {
      throw TreeError(.damaged, "segment header is cut off: \(bytes.count) bytes of \(Self.plainHeaderCount)")
    }
    let check = Bytes16(bytes.dropFirst(Self.checkedCount))
    guard Sodium.hash16(Array(bytes.prefix(Self.checkedCount))) == check else {
      throw TreeError(.damaged, "segment header does not agree with its check")
    }
    guard try reader.u8("reserved byte") == 0, try reader.bytes16("reserved bytes") == .zero else {
      throw TreeError(.unsupportedVersion, "segment has an epoch, but is not sealed", advice: updateAdvice)
    }
    let space = try reader.bytes32("space")
    self = try SegmentHeader(reading: &reader, space: space) { reader throws(TreeError) in
      let lengths = (try reader.u32("count"), try reader.u32("length of the bodies"))
      guard try reader.u16("length of the signature") == Signature.byteCount else {
        throw reader.damaged("length of the signature", "is not \(Signature.byteCount)")
      }
      return lengths
    }
  }
}

/// What a person can do about what a newer version wrote.
let updateAdvice = "Update this program"

/// Refuses what this version does not know, by name.
func requireKnown(_ value: UInt8, _ known: UInt8, _ what: String) throws(TreeError) {
  if value == known { return }
  throw TreeError(
    .unsupportedVersion, "segment has the unknown \(what) \(value)",
    advice: value > known ? updateAdvice : "It is of a version that is no longer read: remove it")
}
