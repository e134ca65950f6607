package import OfflineTree

/// The bytes of a change, part by part as `docs/format.md` lays them out: for contents that the encoder never writes.
package struct RawChange {
  package var version: UInt8 = 1
  package var parents: [Change.Parent] = []
  package var stamp = Stamp(milliseconds: 1, counter: 0)
  package var wallTime: Int64 = 1
  package var author: [UInt8] = []
  package var flags: UInt8 = 0
  package var bindings: [ElementBinding] = []
  package var operations: [(kind: UInt8, body: [UInt8])] = []

  package init(
    parents: [Change.Parent] = [], stamp: Stamp = Stamp(milliseconds: 1, counter: 0), wallTime: Int64 = 1,
    author: String = "", flags: UInt8 = 0, bindings: [ElementBinding] = [], operations: [Operation] = []
  ) {
    self.parents = parents
    self.stamp = stamp
    self.wallTime = wallTime
    self.author = Array(author.utf8)
    self.flags = flags
    self.bindings = bindings
    self.operations = operations.map { (kind: $0.kind, body: RawChange.operand($0)) }
  }

  package init(
    parents: [Change.Parent] = [], stamp: Stamp = Stamp(milliseconds: 1, counter: 0),
    rawOperations: [(kind: UInt8, body: [UInt8])]
  ) {
    self.init(parents: parents, stamp: stamp)
    operations = rawOperations
  }

  package var body: [UInt8] {
    var writer = ByteWriter()
    writer.u8(version)
    writer.varint(parents.count)
    for parent in parents {
      writer.append(parent.log)
      writer.varint(parent.seq)
      writer.append(parent.hash)
    }
    writer.varint(stamp.milliseconds)
    writer.varint(UInt64(stamp.counter))
    writer.zigzag(wallTime - Int64(stamp.milliseconds))
    writer.prefixed(author)
    writer.u8(flags)
    writer.varint(bindings.count)
    for binding in bindings {
      writer.prefixed(binding.element.textBytes)
      writer.u64(binding.nonce)
    }
    writer.varint(operations.count)
    for operation in operations {
      writer.u8(operation.kind)
      writer.prefixed(operation.body)
    }
    return writer.bytes
  }

  private static func operand(_ operation: Operation) -> [UInt8] {
    switch operation {
    case .clear(let path): return path.textBytes
    case .put(let path, let value), .increment(let path, let value): return put(path.textBytes, value)
    case .vote(let path, let voter, let choice): return vote(path.textBytes, voter.utf8, Int64(choice))
    case .priority(let path, let value):
      var writer = ByteWriter()
      writer.prefixed(path.textBytes)
      if let value { value.encode(to: &writer) } else { writer.u8(0) }
      return writer.bytes
    case .file(let name, let content):
      var writer = ByteWriter()
      writer.prefixed(name.textBytes)
      writer.u8(content == nil ? 0 : 1)
      if let content {
        writer.append(content.manifest)
        writer.varint(content.length)
        writer.prefixed(content.type)
      }
      return writer.bytes
    }
  }

  /// The operand of a put or an increment at a path that may be none.
  package static func put(_ path: [UInt8], _ value: Scalar) -> [UInt8] {
    var writer = ByteWriter()
    writer.prefixed(path)
    value.encode(to: &writer)
    return writer.bytes
  }

  package static func vote(_ path: [UInt8], _ voter: [UInt8], _ choice: Int64) -> [UInt8] {
    var writer = ByteWriter()
    writer.prefixed(path)
    writer.prefixed(voter)
    writer.zigzag(choice)
    return writer.bytes
  }
}
