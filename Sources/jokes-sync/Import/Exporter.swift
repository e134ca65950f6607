internal import OfflineTree

/// Writes a tree that has priorities as one JSON document, leaf by leaf, in key order.
///
/// It holds one path and a buffer, whatever the size of the tree.
struct Exporter {
  private static let bufferBytes = 1 << 16

  private var writer: JSONWriter
  private let output: ([UInt8]) throws -> Void
  /// The keys of the objects that are open, below the exported path.
  private var open: [Key] = []

  init(pretty: Bool, output: @escaping ([UInt8]) throws -> Void) {
    writer = JSONWriter(pretty: pretty)
    self.output = output
  }

  mutating func export(_ root: Path, from transaction: ReadTransaction) throws {
    if let scalar = try transaction.scalar(at: root) {
      try leaf(scalar, priority: try transaction.priority(at: root))
    } else {
      var isEmpty = true
      var exporter = self
      try transaction.forEachLeaf(at: root) { path, scalar in
        if isEmpty {
          isEmpty = false
          try exporter.begin(at: root, transaction)
        }
        try exporter.move(to: path, below: root, transaction)
        try exporter.leaf(scalar, priority: try transaction.priority(at: path))
        return true
      }
      self = exporter
      if isEmpty { writer.null() } else { close(to: 0) }
    }
    try output(writer.take())
  }

  /// Closes and opens objects until the leaf at `path` is the next member, and names it.
  private mutating func move(to path: Path, below root: Path, _ transaction: ReadTransaction) throws {
    let keys = path.keys[root.keys.count...]
    let parents = keys.dropLast()
    let shared = zip(open, parents).prefix { $0 == $1 }.count
    for _ in shared..<open.count {
      writer.endObject()
      open.removeLast()
    }
    for key in parents.dropFirst(shared) {
      writer.key(key)
      open.append(key)
      try begin(at: try Path(root.keys + open), transaction)
    }
    if let key = keys.last { writer.key(key) }
    if writer.count >= Exporter.bufferBytes { try output(writer.take()) }
  }

  private mutating func begin(at path: Path, _ transaction: ReadTransaction) throws {
    writer.beginObject()
    if let priority = try transaction.priority(at: path) {
      writer.key(".priority")
      writer.scalar(priority)
    }
  }

  private mutating func close(to depth: Int) {
    while open.count > depth {
      writer.endObject()
      open.removeLast()
    }
    writer.endObject()
  }

  private mutating func leaf(_ scalar: Scalar, priority: Scalar?) throws {
    guard let priority else { return writer.scalar(scalar) }
    writer.beginObject()
    writer.key(".value")
    writer.scalar(scalar)
    writer.key(".priority")
    writer.scalar(priority)
    writer.endObject()
  }
}
