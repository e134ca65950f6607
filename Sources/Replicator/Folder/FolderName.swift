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

  /// The name of a segment in the folder `home`. Under 100 characters after the slash.
  static func segment(_ run: ChangeRun, head: Bytes32, in home: String) -> FolderName {
    FolderName("\(home)/\(run.log)-\(run.first)-\(run.last)-\(hexadecimal(head.bytes.prefix(8))).seg")
  }

  static func acknowledgement(_ counter: UInt64, in home: String) -> FolderName {
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * $0)) }
    return FolderName("\(home)/ack-\(hexadecimal(bytes)).ack")
  }

  /// Names that are not looked at: of other programs' own files, and of files that are still being written.
  static func isSkipped(_ name: String) -> Bool {
    name.utf8.first == UInt8(ascii: ".") || name.utf8.suffix(4).elementsEqual(".tmp".utf8)
  }
}
