/// Appends the building blocks of the binary formats: little-endian integers, LEB128 varints, byte runs.
package struct ByteWriter: Sendable {
  package private(set) var bytes: [UInt8]

  package init(capacity: Int = 0) {
    bytes = []
    if capacity > 0 { bytes.reserveCapacity(capacity) }
  }

  /// Goes on after what is already in `bytes`.
  package init(appendingTo bytes: consuming [UInt8]) {
    self.bytes = bytes
  }

  package var count: Int { bytes.count }

  /// Forgets what was written and keeps the memory.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  package mutating func u8(_ value: UInt8) {
    bytes.append(value)
  }

  package mutating func u16(_ value: UInt16) { littleEndian(UInt64(value), count: 2) }
  package mutating func u32(_ value: UInt32) { littleEndian(UInt64(value), count: 4) }
  package mutating func u64(_ value: UInt64) { littleEndian(value, count: 8) }

  @inline(__always)
  private mutating func littleEndian(_ value: UInt64, count: Int) {
    for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
  }

  /// Unsigned LEB128: seven bits a byte, lowest first, in the shortest form.
  @inline(__always)
  package mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// A count or a length, which is never negative.
  @inline(__always)
  package mutating func varint(_ value: Int) {
    varint(UInt64(value))
  }

  /// A signed varint: 0, −1, 1, −2 … become 0, 1, 2, 3 …
  @inline(__always)
  package mutating func zigzag(_ value: Int64) {
    varint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  /// The bytes themselves, without a length.
  package mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }
  package mutating func append(_ more: ArraySlice<UInt8>) { bytes.append(contentsOf: more) }
  package mutating func append(_ more: Bytes16) { bytes.append(contentsOf: more.bytes) }
  package mutating func append(_ more: Bytes32) { bytes.append(contentsOf: more.bytes) }

  /// A varint length, then the bytes.
  package mutating func prefixed(_ more: [UInt8]) {
    varint(more.count)
    append(more)
  }

  /// A varint length, then the UTF-8 bytes of `text`.
  package mutating func prefixed(_ text: String) {
    varint(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }
}
