internal import OfflineTree

/// Where a file is, below the root of a shared folder: "file", or "folder/file".
///
/// Compared by its bytes: composed and decomposed forms of a name are two files on most systems.
struct FolderName: Hashable, Comparable, Sendable, CustomStringConvertible {
  let bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }

  var description: String { String(decoding: bytes, as: UTF8.self) }

  static func < (left: FolderName, right: FolderName) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }

  /// Is it in the folder of that name?
  func isIn(_ folder: String) -> Bool {
    let prefix = Array(folder.utf8)
    return bytes.count > prefix.count && bytes.starts(with: prefix) && bytes[prefix.count] == UInt8(ascii: "/")
  }

  /// The folder that it is in; empty for one in the root.
  var folder: ArraySlice<UInt8> { bytes[..<(bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0)] }

  func ends(with suffix: String) -> Bool { bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }

  /// Names that are not looked at: of other programs' own files, and of files that are still being written.
  static func isSkipped(_ name: String) -> Bool {
    name.utf8.first == UInt8(ascii: ".") || name.utf8.suffix(4).elementsEqual(".tmp".utf8)
  }
}

/// Names that say nothing to whoever lacks the epoch's key; the folder's is the home's token, which is random.
extension FolderName {
  static let segmentSuffix = ".seg"
  static let acknowledgementSuffix = ".ack"
  static let checkpointSuffix = ".ckp"
  static let chunkSuffix = ".chk"
  private static let digits = 32

  static func segment(_ header: SegmentHeader, of home: Bytes16, _ keys: EpochKeys) -> FolderName {
    var writer = ByteWriter(capacity: 96)
    writer.append(Array("segment".utf8))
    writer.append(home)
    writer.append(header.log)
    writer.u64(header.first)
    writer.u64(header.last)
    writer.append(header.head)
    return FolderName("\(hexadecimal(home.bytes))/\(keys.name(of: writer.bytes))\(segmentSuffix)")
  }

  static func acknowledgement(_ counter: UInt64, of home: Bytes16, _ keys: EpochKeys) -> FolderName {
    var writer = ByteWriter(capacity: 64)
    writer.append(Array("acknowledgement".utf8))
    writer.append(home)
    writer.u64(counter)
    return FolderName("\(hexadecimal(home.bytes))/\(keys.name(of: writer.bytes))\(acknowledgementSuffix)")
  }

  static func checkpoint(_ part: CheckpointPart, of home: Bytes16, _ keys: EpochKeys) -> FolderName {
    var writer = ByteWriter(capacity: 64)
    writer.append(Array("checkpoint".utf8))
    writer.append(home)
    writer.append(part.whole.id)
    writer.u32(UInt32(part.number))
    return FolderName("\(hexadecimal(home.bytes))/\(keys.name(of: writer.bytes))\(checkpointSuffix)")
  }

  static func chunk(_ id: Bytes32, of home: Bytes16, _ keys: EpochKeys) -> FolderName {
    let content = Array("chunk".utf8) + home.bytes + id.bytes
    let name = hexadecimal(Sodium.keyedHash(content, keys.chunkNames, count: 16))
    return FolderName("\(hexadecimal(home.bytes))/\(name)\(chunkSuffix)")
  }

  /// Is it called as only this program calls files? One that does not begin as they do is then damaged, not foreign.
  var isOurs: Bool {
    let suffixes = [Self.segmentSuffix, Self.acknowledgementSuffix, Self.checkpointSuffix, Self.chunkSuffix]
    guard suffixes.contains(where: { ends(with: $0) }) else { return false }
    let base = bytes[(bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...].dropLast(4)
    let isDigit = { (byte: UInt8) in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
    return base.count == Self.digits && base.allSatisfy(isDigit)
  }
}
