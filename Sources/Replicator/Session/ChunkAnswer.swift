package import OfflineTree

/// What came of one chunk that was asked for: its form, or nothing.
package struct ChunkAnswer: Equatable, Sendable {
  package var id: Bytes32
  /// Nil if it is not there.
  package var form: [UInt8]?

  package init(_ id: Bytes32, _ form: [UInt8]?) { (self.id, self.form) = (id, form) }

  /// What it counts for flow.
  var weight: Int { form?.count ?? 0 }

  func encode(to writer: inout ByteWriter) {
    writer.append(id)
    writer.u8(form == nil ? 0 : 1)
    if let form { writer.append(form) }
  }

  init(decoding reader: inout ByteReader) throws(TreeError) {
    id = try reader.bytes32("chunk's id")
    form = try reader.flag("chunk") ? Array(reader.rest()) : nil
    if let form, form.isEmpty { throw reader.damaged("chunk", "is empty") }
  }
}

extension Message {
  static func encode(ids: [Bytes32], to writer: inout ByteWriter) {
    writer.varint(ids.count)
    for id in ids { writer.append(id) }
  }

  static func ids(_ reader: inout ByteReader, limit: Int) throws(TreeError) -> [Bytes32] {
    let count = try reader.count("chunks", limit: limit)
    if count == 0 { throw reader.damaged("chunks", "are none") }
    var ids: [Bytes32] = []
    for _ in 0..<count { ids.append(try reader.bytes32("chunk's id")) }
    return ids
  }
}
