/// What a stored file is: where the list of its chunks is, how long it is, and of which kind.
///
/// ```
/// hash of the manifest 32 ‖ varint length in bytes ‖ content type, prefixed
/// ```
package struct FileContent: Hashable, Sendable {
  /// The id of the chunk that lists the file's chunks.
  package let manifest: Bytes32
  package let length: UInt64
  /// Such as "image/jpeg"; printable ASCII, at most `Limits.fileTypeBytes`, or empty.
  package let type: String

  package init(manifest: Bytes32, length: UInt64, type: String) {
    (self.manifest, self.length, self.type) = (manifest, length, type)
  }

  /// Can it be the content type of a file?
  package static func isType(_ type: String) -> Bool {
    type.utf8.count <= Limits.fileTypeBytes && type.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
  }

  package func encode(to writer: inout ByteWriter) {
    writer.append(manifest)
    writer.varint(length)
    writer.prefixed(type)
  }

  package static func decode(from reader: inout ByteReader) throws(TreeError) -> FileContent {
    var content = ContentReader()
    let file = try decode(from: &reader, &content)
    if let fault = content.fault { throw TreeError(.damaged, "a stored file cannot be: \(fault)") }
    return file
  }

  /// What goes beyond a limit is a fault of the content, and no error.
  static func decode(
    from reader: inout ByteReader, _ content: inout ContentReader
  ) throws(TreeError) -> FileContent {
    let manifest = try reader.bytes32("manifest")
    let length = try reader.varint("file's length")
    let bytes = try reader.prefixed("content type", limit: reader.remaining)
    guard let type = String(validating: bytes, as: UTF8.self) else {
      throw reader.damaged("content type", "is not UTF-8")
    }
    if length > Limits.fileBytes { content.note("a file has \(length) bytes") }
    if !isType(type) { content.note("a file's content type is none") }
    return FileContent(manifest: manifest, length: length, type: type)
  }
}
