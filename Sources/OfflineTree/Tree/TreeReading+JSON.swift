extension TreeReader {
  /// Bytes that are gathered before they are handed on.
  private static let pieceBytes = 1 << 16

  /// Writes the value at a path as JSON, from the rows to the text, and hands it on piece by piece.
  ///
  /// It holds one path and one piece, whatever the size of the value.
  static func writeJSON(
    at path: PathKey, pretty: Bool, _ rows: borrowing StoreTransaction, to output: ([UInt8]) throws -> Void
  ) throws {
    var leaves = LeafWriter(below: path, pretty: pretty)
    var failure: (any Error)?
    try PathTable.tree.forEach(prefix: path.bytes, in: rows) { (key, row) throws(TreeError) in
      guard let scalar = try ShownScalar.read(row) else { return true }
      guard leaves.add(key, scalar, in: row) else { return false }
      if leaves.writer.count < pieceBytes { return true }
      do {
        try leaves.writer.hand(to: output)
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
    leaves.finish()
    try leaves.writer.hand(to: output)
  }
}

/// Writes leaves that come in key order as one JSON document.
private struct LeafWriter {
  var writer: JSONWriter
  private let base: Int
  private var open: OpenObjects
  private var content = Content.nothing

  private enum Content { case nothing, members, scalar }

  init(below path: PathKey, pretty: Bool) {
    writer = JSONWriter(pretty: pretty)
    base = path.bytes.count
    open = OpenObjects(below: path)
  }

  /// - Returns: False if the leaf is the whole value.
  mutating func add(_ key: RawSpan, _ scalar: ShownScalar, in row: RawSpan) -> Bool {
    if key.byteCount == base {
      content = .scalar
      writer.scalar(scalar, in: row)
      return false
    }
    if content == .nothing {
      content = .members
      writer.beginObject()
    }
    close(to: open.count(sharedWith: key))
    while true {
      let start = open.end
      let end = PathKey.componentEnd(in: key, from: start)
      writer.key(component: key.extracting(start..<end))
      if end >= key.byteCount { break }
      writer.beginObject()
      open.open(key, to: end)
    }
    writer.scalar(scalar, in: row)
    return true
  }

  private mutating func close(to count: Int) {
    while open.count > count {
      writer.endObject()
      open.close()
    }
  }

  mutating func finish() {
    switch content {
    case .scalar: break
    case .nothing: writer.null()
    case .members:
      close(to: 0)
      writer.endObject()
    }
  }
}
