extension Change {
  /// Format version of a change's bytes. `docs/format.md` describes it.
  static let version: UInt8 = 1

  private static let importFlag: UInt8 = 1

  /// The canonical bytes of the change.
  package var body: [UInt8] {
    var writer = ByteWriter(capacity: 64 + 64 * operations.count)
    writer.u8(Change.version)
    writer.varint(parents.count)
    for parent in parents {
      writer.append(parent.log)
      writer.varint(parent.seq)
      writer.append(parent.hash)
    }
    writer.varint(stamp.milliseconds)
    writer.varint(UInt64(stamp.counter))
    writer.zigzag(wallTime &- Int64(bitPattern: stamp.milliseconds))
    writer.prefixed(author?.text ?? "")
    writer.u8(isImport ? Change.importFlag : 0)
    writer.varint(bindings.count)
    for binding in bindings {
      writer.prefixed(binding.element.textBytes)
      writer.u64(binding.nonce)
    }
    writer.varint(controls.count + operations.count + (introduction == nil ? 0 : 1))
    var operand = ByteWriter(capacity: 128)
    if let introduction {
      introduction.encode(to: &operand)
      writer.u8(Introduction.kind)
      writer.prefixed(operand.bytes)
    }
    for operation in controls {
      writer.u8(operation.kind)
      writer.prefixed(operation.encoded)
    }
    for operation in operations {
      operand.removeAll()
      operation.encode(to: &operand)
      writer.u8(operation.kind)
      writer.prefixed(operand.bytes)
    }
    return writer.bytes
  }

  /// What decoding found.
  package enum Decoded: Sendable {
    /// A change; `fault` says why its content makes it void on every replica, if it does.
    case change(Change, fault: String?)
    /// Written by a newer version: it has to wait, and everything that saw it.
    case unknown
  }

  /// Reads a change's bytes.
  ///
  /// Content that breaks a rule (a path too long, a key that is none) is a `fault`; only bytes that are not canonical
  /// are an error.
  /// - Throws: `damaged`.
  package static func decode(_ bytes: ArraySlice<UInt8>) throws(TreeError) -> Decoded {
    var reader = ByteReader(bytes)
    var content = ContentReader()
    guard var change = try head(&reader, &content) else { return .unknown }
    let flags = try reader.u8("change flags")
    guard flags & ~importFlag == 0 else { return .unknown }
    change.isImport = flags & importFlag != 0
    for _ in 0..<(try reader.count("bindings", limit: bytes.count)) {
      let path = try content.path(try reader.prefixed("element", limit: bytes.count))
      change.bindings.append(ElementBinding(element: path, nonce: try reader.u64("binding's nonce")))
    }
    let count = try reader.count("operations", limit: bytes.count)
    change.operations.reserveCapacity(min(count, Limits.changeOperations))
    for _ in 0..<count {
      guard try change.decodeOperation(&reader, &content) else { return .unknown }
    }
    try reader.finish("change")
    // Nobody acts in it: it is the device's, and judged as such.
    if change.introduction != nil, change.author != nil || change.isImport || !change.bindings.isEmpty {
      throw reader.damaged("introduction", "names an author, an import or elements")
    }
    if bytes.count > Limits.changeBytes { content.note("the change has \(bytes.count) bytes") }
    if count > Limits.changeOperations { content.note("the change has \(count) operations") }
    return .change(change, fault: content.fault ?? change.formFault)
  }

  /// Whom a change's bytes name as its author: O(parents), however many operations follow.
  static func author(in bytes: ArraySlice<UInt8>) throws(TreeError) -> Key? {
    var (reader, content) = (ByteReader(bytes), ContentReader())
    return try head(&reader, &content)?.author
  }

  /// What stands before the flags; nil of a newer version.
  private static func head(_ reader: inout ByteReader, _ content: inout ContentReader) throws(TreeError) -> Change? {
    guard try reader.u8("change version") == version else { return nil }
    var change = Change(parents: try parents(&reader), stamp: .zero, wallTime: 0)
    let milliseconds = try reader.varint("stamp")
    let counter = try reader.count("stamp's counter", limit: Int(UInt16.max))
    change.stamp = Stamp(milliseconds: milliseconds, counter: UInt16(counter))
    change.wallTime = Int64(bitPattern: milliseconds) &+ (try reader.zigzag("wall time"))
    let author = try reader.prefixed("author", limit: reader.remaining)
    if !author.isEmpty { change.author = content.key(author) }
    return change
  }

  private static func parents(_ reader: inout ByteReader) throws(TreeError) -> [Parent] {
    var parents: [Parent] = []
    for _ in 0..<(try reader.count("parents", limit: Limits.changeParents)) {
      let log = try reader.bytes16("parent's log")
      let seq = try reader.varint("parent's number")
      guard seq < Limits.changesPerLog else { throw reader.damaged("parent's number", "is too large") }
      let parent = Parent(log: log, seq: seq, hash: try reader.bytes16("parent's hash"))
      if let last = parents.last, !(last < parent) { throw reader.damaged("parents", "are not sorted") }
      parents.append(parent)
    }
    return parents
  }

  /// False for a kind that this version does not know.
  private mutating func decodeOperation(
    _ reader: inout ByteReader, _ content: inout ContentReader
  ) throws(TreeError) -> Bool {
    let kind = try reader.u8("operation's kind")
    var operand = ByteReader(try reader.prefixed("operation", limit: reader.remaining))
    if kind == Introduction.kind {
      guard introduction == nil, controls.isEmpty, operations.isEmpty else {
        throw reader.damaged("introduction", "is not the only operation of its change")
      }
      guard let decoded = try Introduction.decode(&operand) else { return false }
      introduction = decoded
    } else if ControlOperation.kinds.contains(kind) {
      guard let operation = try ControlOperation.decode(kind: kind, &operand, &content) else { return false }
      if introduction != nil { throw reader.damaged("introduction", "is not the only operation of its change") }
      if !operations.isEmpty { content.note("a control operation stands behind others") }
      if controls.count < Limits.changeControls {
        controls.append(operation)
      } else {
        content.note("it has more than \(Limits.changeControls) control operations")
      }
    } else {
      guard let operation = try Operation.decode(kind: kind, &operand, &content) else { return false }
      if introduction != nil { throw reader.damaged("introduction", "is not the only operation of its change") }
      // One more makes the change void: it is read, and not kept.
      if operations.count < Limits.changeOperations { operations.append(operation) }
    }
    try operand.finish("operation")
    return true
  }

  /// Why the shape of the change makes it void, as far as the change alone tells.
  private var formFault: String? {
    if !ControlOperation.isNormal(controls) { return "its control operations are not in normal form" }
    if recoverySignature != nil, !operations.isEmpty { return "it uses the recovery key for more than control" }
    if let fault = ControlOperation.personFault(controls, author: author) { return fault }
    if !controls.isEmpty, let fault = faultBesideControls { return fault }
    if !NormalForm.holds(operations) { return "its operations are not in normal form" }
    for index in bindings.indices.dropFirst() where !(bindings[index - 1].element < bindings[index].element) {
      return "its element bindings are not sorted"
    }
    return nil
  }
}

extension Change {
  /// What is beside control operations is kept in memory.
  private var faultBesideControls: String? {
    if operations.count > Limits.operationsBesideControls {
      return "it has \(operations.count) operations beside control operations"
    }
    var writer = ByteWriter()
    for operation in operations { operation.encode(to: &writer) }
    return writer.bytes.count > Limits.operationBytesBesideControls
      ? "it has \(writer.bytes.count) bytes of operations beside control operations" : nil
  }
}

/// Reads paths and keys of a change, and remembers the first that cannot be one.
struct ContentReader {
  private(set) var fault: String?

  mutating func note(_ problem: String) {
    if fault == nil { fault = problem }
  }

  /// - Throws: `damaged` for text that is no path; one that is only too long or too deep is a fault.
  mutating func path(_ bytes: ArraySlice<UInt8>) throws(TreeError) -> PathKey {
    do throws(TreeError) {
      return try PathKey(validating: bytes)
    } catch {
      guard error.code == .limitExceeded else { throw error }
      note(error.context)
      return .root
    }
  }

  /// - Throws: `damaged` for what is no name; one that is only too long or too deep is a fault.
  mutating func fileName(_ bytes: ArraySlice<UInt8>) throws(TreeError) -> FileName {
    do throws(TreeError) {
      return try FileName(validating: bytes)
    } catch {
      guard error.code == .limitExceeded else { throw error }
      note(error.context)
      return FileName.nameless
    }
  }

  mutating func userID(_ bytes: ArraySlice<UInt8>) -> Key {
    let key = key(bytes)
    if !Account.isUserID(key) { note("\(key) is no user's id") }
    return key
  }

  mutating func key(_ bytes: ArraySlice<UInt8>) -> Key {
    do throws(TreeError) {
      return try Key(utf8: bytes)
    } catch {
      note(error.context)
      return Key(index: 0)
    }
  }
}
