/// A bounds-checked cursor over bytes from outside: the one place where formats are read.
///
/// It shares the storage of the array it was made from. Each read names what is read, and that name is in the error
/// when the bytes end too early or are not canonical; a failed read leaves the cursor where it was.
package struct ByteReader: Sendable {
  private let storage: ArraySlice<UInt8>
  /// An index of `storage`.
  private var index: Int

  package init(_ bytes: ArraySlice<UInt8>) {
    storage = bytes
    index = bytes.startIndex
  }

  package init(_ bytes: [UInt8]) { self.init(bytes[...]) }

  /// Reads `range` of `bytes`, which must lie within them.
  package init(_ bytes: [UInt8], _ range: Range<Int>) { self.init(bytes[range]) }

  /// Bytes read so far.
  package var position: Int { index - storage.startIndex }
  package var remaining: Int { storage.endIndex - index }
  package var isAtEnd: Bool { index == storage.endIndex }

  /// What was read since `position` had the value `start`.
  package func slice(since start: Int) -> ArraySlice<UInt8> { storage[storage.startIndex + start..<index] }

  package mutating func u8(_ what: StaticString) throws(TreeError) -> UInt8 {
    guard index < storage.endIndex else { throw ended(what) }
    defer { index += 1 }
    return storage[index]
  }

  package mutating func u16(_ what: StaticString) throws(TreeError) -> UInt16 {
    UInt16(truncatingIfNeeded: try littleEndian(2, what))
  }

  package mutating func u32(_ what: StaticString) throws(TreeError) -> UInt32 {
    UInt32(truncatingIfNeeded: try littleEndian(4, what))
  }

  package mutating func u64(_ what: StaticString) throws(TreeError) -> UInt64 { try littleEndian(8, what) }

  @inline(__always)
  private mutating func littleEndian(_ count: Int, _ what: StaticString) throws(TreeError) -> UInt64 {
    guard count <= remaining else { throw ended(what) }
    var value: UInt64 = 0
    for offset in 0..<count { value |= UInt64(storage[index + offset]) << UInt64(8 * offset) }
    index += count
    return value
  }

  /// An unsigned LEB128 integer in its shortest form.
  package mutating func varint(_ what: StaticString) throws(TreeError) -> UInt64 {
    if index < storage.endIndex, storage[index] < 0x80 {
      defer { index += 1 }
      return UInt64(storage[index])
    }
    return try longVarint(what)
  }

  private mutating func longVarint(_ what: StaticString) throws(TreeError) -> UInt64 {
    var value: UInt64 = 0
    for offset in 0..<10 {
      guard index + offset < storage.endIndex else { throw ended(what) }
      let byte = storage[index + offset]
      if offset == 9, byte > 1 { break }
      value |= UInt64(byte & 0x7F) << UInt64(7 * offset)
      guard byte < 0x80 else { continue }
      if byte == 0, offset > 0 { throw damaged(what, "is longer than it has to be") }
      index += offset + 1
      return value
    }
    throw damaged(what, "does not fit 64 bits")
  }

  package mutating func zigzag(_ what: StaticString) throws(TreeError) -> Int64 {
    let value = try varint(what)
    return Int64(bitPattern: (value >> 1) ^ (0 &- (value & 1)))
  }

  /// A varint that counts or measures something, at most `limit`; below 0 there is none that could be.
  package mutating func count(_ what: StaticString, limit: Int) throws(TreeError) -> Int {
    let start = index
    let value = try varint(what)
    guard limit >= 0, value <= UInt64(limit) else {
      index = start
      throw damaged(what, "is \(value), beyond \(limit)")
    }
    return Int(value)
  }

  /// The next `count` bytes, sharing storage.
  package mutating func bytes(_ count: Int, _ what: StaticString) throws(TreeError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= remaining else { throw ended(what) }
    defer { index += count }
    return storage[index..<index + count]
  }

  /// A varint length of at most `limit`, then so many bytes, sharing storage.
  package mutating func prefixed(_ what: StaticString, limit: Int) throws(TreeError) -> ArraySlice<UInt8> {
    let start = index
    let length = try count(what, limit: limit)
    guard length <= remaining else {
      index = start
      throw ended(what)
    }
    return try bytes(length, what)
  }

  package mutating func bytes16(_ what: StaticString) throws(TreeError) -> Bytes16 { Bytes16(try bytes(16, what)) }
  package mutating func bytes32(_ what: StaticString) throws(TreeError) -> Bytes32 { Bytes32(try bytes(32, what)) }

  /// All that is left, sharing storage.
  package mutating func rest() -> ArraySlice<UInt8> {
    defer { index = storage.endIndex }
    return storage[index...]
  }

  /// Throws unless everything has been read.
  package func finish(_ what: StaticString) throws(TreeError) {
    guard isAtEnd else { throw damaged(what, "has \(remaining) bytes too many") }
  }

  /// The error that says what is wrong with `what` at the cursor.
  package func damaged(_ what: StaticString, _ problem: String) -> TreeError {
    TreeError(.damaged, "\(what) at byte \(position) \(problem)")
  }

  private func ended(_ what: StaticString) -> TreeError {
    damaged(what, "is cut off: the bytes end after \(storage.count)")
  }
}
