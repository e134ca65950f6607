/// The keys and values of the table `index`.
///
/// ```
/// key     0x02 ‖ number of the index u32 big-endian ‖ first 16 bytes of BLAKE2b of the parent's path key ‖ value ‖ the child's key
/// value   of the row: a number's scalar, else nothing
/// ```
/// Byte order is the order of the query: by value, then by the child's key. Values, none the beginning of another:
/// ```
/// nothing 0x01 · false 0x02 · true 0x03 · object 0x06
/// number  0x04 ‖ the highest double not above it, u64 big-endian, ordered ‖ what is left, u16 big-endian
/// string  0x05 ‖ UTF-8, lead bytes 0xEE as 0xFB and 0xEF as 0xFC, 0x00 as 0x00 0xFF ‖ 0x00 0x00
/// ```
/// Of a string with more than `stringBytes` of such bytes, only those many stand there, with 0x01 behind them: rows that
/// begin alike are in no order among each other but that of their keys.
enum IndexRow {
  static let mark: UInt8 = 0x02
  static let stringBytes = 192
  private static let cut: UInt8 = 0x01

  private enum Kind {
    static let null: UInt8 = 1
    static let `false`: UInt8 = 2
    static let `true`: UInt8 = 3
    static let number: UInt8 = 4
    static let string: UInt8 = 5
    static let object: UInt8 = 6
  }

  /// What the rows of one index begin with.
  static func prefix(_ number: UInt32) -> [UInt8] {
    [mark] + (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) }
  }

  /// What the rows of one parent's children begin with.
  static func prefix(_ number: UInt32, _ parent: PathKey) -> [UInt8] {
    prefix(number) + Sodium.hash32(parent.bytes).bytes[..<16]
  }

  static let prefixBytes = 21

  /// The key of a child's row.
  static func key(_ number: UInt32, _ child: PathKey, _ value: IndexValue) -> [UInt8] {
    let start = child.lastStart ?? 0
    return prefix(number, PathKey(trusted: child.bytes[..<start])) + ordered(value) + child.bytes[start...]
  }

  /// The bytes that order a value.
  static func ordered(_ value: IndexValue) -> [UInt8] {
    switch value {
    case .null: [Kind.null]
    case .object: [Kind.object]
    case .scalar(.bool(let value)): [value ? Kind.true : Kind.false]
    case .scalar(.int(let value)): number(floor(value))
    case .scalar(.double(let value)): number((value, 0))
    case .scalar(.string(let text)): string(text)
    }
  }

  /// The row's value: what the ordered bytes do not tell.
  static func content(_ value: IndexValue) -> [UInt8] {
    guard case .scalar(let scalar) = value, scalar.isNumber else { return [] }
    var writer = ByteWriter(capacity: 10)
    scalar.encode(to: &writer)
    return writer.bytes
  }

  private static func floor(_ value: Int64) -> (Double, UInt16) {
    let double = Double(value)
    // Rounded up, it may even be 2^63, which no integer is.
    let low = double >= 0x1p63 || Int64(double) > value ? double.nextDown : double
    return (low, UInt16(truncatingIfNeeded: value &- Int64(low)))
  }

  private static func number(_ parts: (double: Double, rest: UInt16)) -> [UInt8] {
    let bits = parts.double.bitPattern
    let ordered = bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    return [Kind.number] + (0..<8).map { UInt8(truncatingIfNeeded: ordered >> UInt64(56 - 8 * $0)) }
      + [UInt8(parts.rest >> 8), UInt8(parts.rest & 0xFF)]
  }

  private static func string(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = [Kind.string]
    for byte in text.utf8 {
      bytes.append(UTF8Text.ordered(byte))
      if byte == 0 { bytes.append(0xFF) }
      if bytes.count > stringBytes + 1 { return Array(bytes[..<(stringBytes + 1)]) + [cut] }
    }
    return bytes + [0, 0]
  }

  /// Do such ordered bytes stand for a string of which the rest is missing?
  static func isCut(_ ordered: [UInt8]) -> Bool {
    ordered.count == stringBytes + 2 && ordered[0] == Kind.string && ordered[stringBytes + 1] == cut
  }

  /// A row taken apart.
  struct Decoded {
    /// Nil for a string that was cut.
    let value: IndexValue?
    /// Where the child's key begins.
    let child: Int
  }

  /// - Throws: `damaged` for what is no row.
  static func decode(_ key: RawSpan, _ content: RawSpan) throws(TreeError) -> Decoded {
    guard key.byteCount > prefixBytes else { throw damaged }
    func byte(_ index: Int) -> UInt8 { unsafe key.unsafeLoad(fromByteOffset: index, as: UInt8.self) }
    switch byte(prefixBytes) {
    case Kind.null: return Decoded(value: .null, child: prefixBytes + 1)
    case Kind.false: return Decoded(value: .scalar(.bool(false)), child: prefixBytes + 1)
    case Kind.true: return Decoded(value: .scalar(.bool(true)), child: prefixBytes + 1)
    case Kind.object: return Decoded(value: .object, child: prefixBytes + 1)
    case Kind.number:
      let bytes = unsafe content.withUnsafeBytes { unsafe [UInt8]($0) }
      var reader = ByteReader(bytes)
      return Decoded(value: .scalar(try Scalar.decode(from: &reader)), child: prefixBytes + 11)
    case Kind.string: return try decodeString(key)
    default: throw damaged
    }
  }

  private static func decodeString(_ key: RawSpan) throws(TreeError) -> Decoded {
    var text: [UInt8] = []
    var index = prefixBytes + 1
    let end = index + stringBytes
    while index + 1 < key.byteCount {
      let byte = unsafe key.unsafeLoad(fromByteOffset: index, as: UInt8.self)
      if index == end, byte == cut { return Decoded(value: nil, child: index + 1) }
      if byte != 0 {
        text.append(UTF8Text.unordered(byte))
        index += 1
        continue
      }
      let next = unsafe key.unsafeLoad(fromByteOffset: index + 1, as: UInt8.self)
      if next == 0 {
        return Decoded(value: .scalar(.string(String(decoding: text, as: UTF8.self))), child: index + 2)
      }
      if index + 1 == end, next == cut { return Decoded(value: nil, child: index + 2) }
      text.append(0)
      index += 2
    }
    throw damaged
  }

  private static var damaged: TreeError {
    TreeError(.damaged, "a row of an index does not hold a value", advice: "Let rebuildIndexes make the indexes anew.")
  }
}
