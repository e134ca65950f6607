/// The scalar that a row of the tree shows, read in place.
///
/// The row's checksum says that its bytes are those that were written, and so a string's are UTF-8.
enum ShownScalar {
  case bool(Bool)
  case int(Int64)
  case double(Double)
  /// Where the string's bytes stand in the row.
  case string(Range<Int>)

  /// Nil for a row that shows nothing.
  static func read(_ row: RawSpan) throws(TreeError) -> ShownScalar? {
    switch try byte(0, of: row) {
    case Register.Flag.flag: return .bool(true)
    case Register.Flag.simple: break
    default: if try byte(1, of: row) == 0 { return nil }
    }
    switch try byte(1, of: row) {
    case Scalar.Tag.false: return .bool(false)
    case Scalar.Tag.true: return .bool(true)
    case Scalar.Tag.int:
      let number = try varint(at: 2, of: row).value
      return .int(Int64(bitPattern: (number >> 1) ^ (0 &- (number & 1))))
    case Scalar.Tag.double:
      guard row.byteCount >= 10 else { throw damaged }
      let bits = unsafe UInt64(littleEndian: row.unsafeLoadUnaligned(fromByteOffset: 2, as: UInt64.self))
      let value = Double(bitPattern: bits)
      guard value.isFinite, value != 0 || value.sign == .plus else { throw damaged }
      return .double(value)
    case Scalar.Tag.string:
      let (length, start) = try varint(at: 2, of: row)
      guard length <= UInt64(row.byteCount - start) else { throw damaged }
      return .string(start..<start + Int(length))
    default: throw damaged
    }
  }

  @inline(__always)
  private static func byte(_ index: Int, of row: RawSpan) throws(TreeError) -> UInt8 {
    guard index < row.byteCount else { throw damaged }
    return unsafe row.unsafeLoad(fromByteOffset: index, as: UInt8.self)
  }

  private static func varint(at start: Int, of row: RawSpan) throws(TreeError) -> (value: UInt64, end: Int) {
    var value: UInt64 = 0
    for offset in 0..<10 {
      let byte = try byte(start + offset, of: row)
      value |= UInt64(byte & 0x7F) << UInt64(7 * offset)
      if byte < 0x80 { return (value, start + offset + 1) }
    }
    throw damaged
  }

  private static var damaged: TreeError {
    TreeError(.damaged, "a row of the tree does not hold a value", advice: Store.damageAdvice)
  }
}

extension Scalar {
  /// What a row shows that `shown` was read from.
  init(_ shown: ShownScalar, in row: RawSpan) {
    self =
      switch shown {
      case .bool(let value): .bool(value)
      case .int(let value): .int(value)
      case .double(let value): .double(value)
      case .string(let range): .string(String(utf8: row.extracting(range)))
      }
  }
}

extension String {
  fileprivate init(utf8 bytes: RawSpan) {
    self = unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension Register {
  /// Only the scalar that a row of the tree shows.
  static func decodeShown(_ row: RawSpan) throws(TreeError) -> Scalar? {
    guard let shown = try ShownScalar.read(row) else { return nil }
    return Scalar(shown, in: row)
  }

  static func decodeShown(_ bytes: [UInt8]) throws(TreeError) -> Scalar? { unsafe try decodeShown(bytes.span.bytes) }
}

extension JSONWriter {
  mutating func scalar(_ shown: ShownScalar, in row: RawSpan) {
    switch shown {
    case .bool(let value): bool(value)
    case .int(let value): int(value)
    case .double(let value): double(value)
    case .string(let range): string(utf8: row.extracting(range))
    }
  }
}
