/// A piece of a stored file, or the manifest that lists the pieces of one: named by what is in it.
///
/// ```
/// id     BLAKE2b-256, keyed with the space id, of kind u8 ‖ content
/// form   kind u8 ‖ 0 as it is, 1 one zstd frame ‖ length of the content u32 ‖ bytes
/// ```
/// The key makes equal contents of two spaces two chunks: who has no part in a space cannot ask whether it holds a file.
package struct Chunk: Sendable {
  package enum Kind: UInt8, Sendable {
    case data = 1
    case manifest = 2
  }

  package let id: Bytes32
  /// As it is stored and as it travels.
  package let form: [UInt8]
  package let kind: Kind
  /// Bytes of the content.
  package let count: Int

  /// Bytes of the longest form.
  package static let formBytes = headerBytes + Limits.openedChunkBytes
  private static let headerBytes = 6

  /// Makes a chunk of a content; compressed if that saves a sixteenth.
  package init(_ kind: Kind, _ content: [UInt8], space: SpaceID) throws(TreeError) {
    self.kind = kind
    count = content.count
    id = Chunk.id(kind, content, space: space)
    let frame = try Zstd.compress(content)
    let isSmaller = frame.count < content.count - content.count / 16
    var writer = ByteWriter(capacity: Chunk.headerBytes + (isSmaller ? frame.count : content.count))
    writer.u8(kind.rawValue)
    writer.u8(isSmaller ? 1 : 0)
    writer.u32(UInt32(content.count))
    writer.append(isSmaller ? frame : content)
    form = writer.bytes
  }

  /// Takes a form that somebody else made for the one that has that id.
  /// - Throws: `damaged` if it is not what the id names, `limitExceeded` beyond the limits, before anything is opened.
  package init(form: [UInt8], id: Bytes32, space: SpaceID) throws(TreeError) {
    let (kind, content) = try Chunk.open(form)
    guard Chunk.id(kind, content, space: space) == id else {
      throw TreeError(.damaged, "a chunk of a file is not what its name says")
    }
    (self.id, self.form, self.kind, count) = (id, form, kind, content.count)
  }

  package static func id(_ kind: Kind, _ content: [UInt8], space: SpaceID) -> Bytes32 {
    Sodium.keyedHash32([kind.rawValue] + content, key: space)
  }

  /// The content of a form.
  package static func open(_ form: [UInt8]) throws(TreeError) -> (kind: Kind, content: [UInt8]) {
    var reader = ByteReader(form)
    guard let kind = Kind(rawValue: try reader.u8("chunk's kind")) else {
      throw reader.damaged("chunk's kind", "is not known")
    }
    let isCompressed = try reader.u8("chunk's form")
    let count = Int(try reader.u32("chunk's length"))
    guard count <= Limits.openedChunkBytes else {
      throw TreeError(.limitExceeded, "a chunk of a file says that it has \(count) bytes")
    }
    let bytes = reader.rest()
    switch isCompressed {
    case 0 where bytes.count == count: return (kind, Array(bytes))
    case 1: return (kind, try Zstd.decompress(bytes, byteCount: count))
    default: throw reader.damaged("chunk", "is not of a form that is known")
    }
  }
}
