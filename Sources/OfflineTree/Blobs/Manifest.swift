/// The list of a stored file's chunks, in order.
///
/// ```
/// version u8: 1 ‖ length of the file u64 ‖ bytes of each chunk but the last u32 ‖ ids 32 each
/// ```
package struct Manifest: Equatable, Sendable {
  package let length: UInt64
  package let chunkBytes: Int
  package let ids: [Bytes32]

  private static let version: UInt8 = 1

  package init(length: UInt64, ids: [Bytes32]) {
    (self.length, chunkBytes, self.ids) = (length, Limits.chunkBytes, ids)
  }

  package var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 13 + 32 * ids.count)
    writer.u8(Manifest.version)
    writer.u64(length)
    writer.u32(UInt32(chunkBytes))
    for id in ids { writer.append(id) }
    return writer.bytes
  }

  /// - Throws: `damaged`, `unsupportedVersion`, or `limitExceeded`.
  package init(decoding bytes: [UInt8]) throws(TreeError) {
    var reader = ByteReader(bytes)
    guard try reader.u8("manifest's version") == Manifest.version else {
      throw TreeError(.unsupportedVersion, "a newer version stored a file", advice: "Update this program.")
    }
    length = try reader.u64("file's length")
    chunkBytes = Int(try reader.u32("chunk's length"))
    guard length <= Limits.fileBytes, chunkBytes > 0, chunkBytes <= Limits.chunkBytes else {
      throw TreeError(.limitExceeded, "a file has \(length) bytes, in chunks of \(chunkBytes)")
    }
    let count = (length + UInt64(chunkBytes) - 1) / UInt64(chunkBytes)
    guard count <= UInt64(Limits.chunksPerFile), reader.remaining == 32 * Int(count) else {
      throw reader.damaged("manifest", "does not list the chunks of its file")
    }
    var ids: [Bytes32] = []
    ids.reserveCapacity(Int(count))
    for _ in 0..<Int(count) { ids.append(try reader.bytes32("chunk's id")) }
    self.ids = ids
  }

  /// Bytes of the chunk at a place.
  package func byteCount(of index: Int) -> Int {
    index < ids.count - 1 ? chunkBytes : Int(length - UInt64(index) * UInt64(chunkBytes))
  }
}
