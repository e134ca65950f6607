#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The four bytes at the end of every record.
///
/// The low 32 bits, little-endian, of `Sodium.checksum` over: the table's number u8 ‖ the key's length u16
/// little-endian ‖ key ‖ value.
@unsafe
enum Checksum {
  static let bytes = MemoryLayout<UInt32>.size

  /// Writes the checksum behind `value`, which `record` starts with.
  static func seal(_ table: Table, _ key: UnsafeRawBufferPointer, _ record: UnsafeMutableRawBufferPointer) {
    let count = unsafe record.count - bytes
    let sum = unsafe of(table, key, UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(record)[..<count]))
    unsafe record.storeBytes(of: sum.littleEndian, toByteOffset: count, as: UInt32.self)
  }

  /// The value in a record, or nil if its checksum does not fit.
  static func open(
    _ table: Table, _ key: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer? {
    let count = unsafe record.count - bytes
    guard count >= 0 else { return nil }
    let value = unsafe UnsafeRawBufferPointer(rebasing: record[..<count])
    let stored = unsafe UInt32(littleEndian: record.loadUnaligned(fromByteOffset: count, as: UInt32.self))
    return unsafe stored == of(table, key, value) ? value : nil
  }

  /// Whether a record's checksum fits.
  static func fits(_ table: Table, _ key: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer) -> Bool {
    if unsafe open(table, key, record) == nil { false } else { true }
  }

  // Key and value are brought together first: for the short rows that nearly all are, that copy on the stack is much
  // cheaper than a second hash.
  private static func of(_ table: Table, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> UInt32 {
    let head = 3 + key.count
    return unsafe withUnsafeTemporaryAllocation(byteCount: head + value.count, alignment: 8) { buffer in
      unsafe buffer[0] = table.rawValue
      unsafe buffer[1] = UInt8(truncatingIfNeeded: key.count)
      unsafe buffer[2] = UInt8(truncatingIfNeeded: key.count >> 8)
      if let source = key.baseAddress { unsafe memcpy(buffer.baseAddress! + 3, source, key.count) }
      if let source = value.baseAddress { unsafe memcpy(buffer.baseAddress! + head, source, value.count) }
      return unsafe UInt32(truncatingIfNeeded: Sodium.checksum(UnsafeRawBufferPointer(buffer)))
    }
  }
}
