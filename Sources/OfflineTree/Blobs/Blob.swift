/// Bytes that are kept beside the tree, on this device alone: named by what is in them.
package struct Blob: Sendable {
  package let bytes: [UInt8]
  package let hash: Bytes32
  /// The first 16 hexadecimal digits of the hash, and how files of its kind end: a name within the tree.
  package let name: String

  /// - Throws: what `ImageHeader.init` throws.
  package init(image bytes: [UInt8]) throws(TreeError) {
    let header = try ImageHeader(bytes)
    self.bytes = bytes
    hash = Sodium.hash32(bytes)
    name = "\(hexadecimal(hash.bytes.prefix(Self.nameBytes))).\(header.kind.fileExtension)"
  }

  private static let nameBytes = 8

  /// The first bytes of the hash that a name tells; nil if it is none.
  fileprivate static func prefix(ofName name: String) -> [UInt8]? {
    let digits = name.utf8.prefix(2 * nameBytes)
    let rest = name.utf8.dropFirst(2 * nameBytes)
    let isKnown = ImageHeader.Kind.allCases.contains { rest.elementsEqual(".\($0.fileExtension)".utf8) }
    guard isKnown, let bytes = OfflineTree.bytes(fromHexadecimal: String(Substring(digits))) else { return nil }
    return bytes.count == nameBytes ? bytes : nil
  }
}

extension WriteTransaction {
  /// Keeps a blob together with what else is written: both are there, or neither.
  package func keep(_ blob: Blob) throws { try rows.put(.blob, blob.hash.bytes, blob.bytes) }
}

extension Database {
  /// The bytes of a blob that is kept here, or nil.
  package func blob(named name: String) throws(TreeError) -> [UInt8]? {
    guard let prefix = Blob.prefix(ofName: name) else { return nil }
    return try view { rows, _ in
      try rows.withCursor(.blob) { (cursor) throws(TreeError) in
        guard try cursor.seek(atLeast: prefix), cursor.keyBytes.starts(with: prefix) else { return nil }
        return cursor.valueBytes
      }
    }
  }
}
