internal import OfflineTree

/// Writes a tree as one JSON document, leaf by leaf, in key order.
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
    let hasPriorities = try transaction.hasPriorities()
    if let scalar = try transaction.scalar(at: root) {
      try leaf(scalar, priority: hasPriorities ? try transaction.priority(at: root) : nil)
    } else {
      var isEmpty = true
      var exporter = self
      try transaction.forEachLeaf(at: root) { path, scalar in
        if isEmpty {
          isEmpty = false
          try exporter.begin(at: root, transaction, hasPriorities)
        }
        try exporter.move(to: path, below: root, transaction, hasPriorities)
        try exporter.leaf(scalar, priority: hasPriorities ? try transaction.priority(at: path) : nil)
        return true
      }
      self = exporter
      if isEmpty { writer.null() } else { close(to: 0) }
    }
    try output(writer.take())
  }

  /// Closes and opens objects until the leaf at `path` is the next member, and names it.
  private mutating func move(to path: Path, below root: Path, _ transaction: ReadTransaction, _ hasPriorities: Bool)
    throws
  {
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
      try begin(at: hasPriorities ? try Path(root.keys + open) : .root, transaction, hasPriorities)
    }
    if let key = keys.last { writer.key(key) }
    if writer.count >= Exporter.bufferBytes { try output(writer.take()) }
  }

  private mutating func begin(at path: Path, _ transaction: ReadTransaction, _ hasPriorities: Bool) throws {
    writer.beginObject()
    if hasPriorities, let priority = try transaction.priority(at: path) {
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
