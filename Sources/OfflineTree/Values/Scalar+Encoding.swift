extension Scalar {
  enum Tag {
    static let `false`: UInt8 = 1
    static let `true`: UInt8 = 2
    static let int: UInt8 = 3
    static let double: UInt8 = 4
    static let string: UInt8 = 5
  }

  /// Appends the canonical form:
  /// ```
  /// 1 false   2 true   3 ‖ zigzag varint   4 ‖ IEEE 754 double, 8 bytes   5 ‖ varint length ‖ UTF-8
  /// ```
  package func encode(to writer: inout ByteWriter) {
    switch self {
    case .bool(let value): writer.u8(value ? Tag.true : Tag.false)
    case .int(let value):
      writer.u8(Tag.int)
      writer.zigzag(value)
    case .double(let value):
      writer.u8(Tag.double)
      writer.u64((value == 0 ? 0 : value).bitPattern)
    case .string(let text):
      writer.u8(Tag.string)
      writer.prefixed(text)
    }
  }

  /// - Throws: `damaged` for NaN, an infinity, −0.0, bad UTF-8 or an unknown tag. A string's length is the caller's to judge.
  package static func decode(from reader: inout ByteReader) throws(TreeError) -> Scalar {
    switch try reader.u8("a value's kind") {
    case Tag.false: return .bool(false)
    case Tag.true: return .bool(true)
    case Tag.int: return .int(try reader.zigzag("an integer"))
    case Tag.double:
      let value = Double(bitPattern: try reader.u64("a double"))
      guard value.isFinite, value != 0 || value.sign == .plus else {
        throw reader.damaged("a double", "is \(value), which has no place in the tree")
      }
      return .double(value)
    case Tag.string:
      let bytes = try reader.prefixed("a string", limit: reader.remaining)
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw reader.damaged("a string", "is not valid UTF-8")
      }
      return .string(text)
    case let tag: throw reader.damaged("a value's kind", "is \(tag), which is not known")
    }
  }
}
