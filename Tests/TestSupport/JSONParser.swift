import OfflineTree

/// Reads JSON texts of tests and oracles.
struct JSONParser {
  private let bytes: [UInt8]
  private var index = 0

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  mutating func document() throws -> JSON {
    let result = try value()
    skipSpace()
    guard index == bytes.count else { throw failure("text after the document") }
    return result
  }

  private func failure(_ problem: String) -> Failure { Failure(description: "\(problem) at byte \(index)") }

  private mutating func skipSpace() {
    while index < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[index]) { index += 1 }
  }

  private mutating func skip(_ character: Character) -> Bool {
    skipSpace()
    guard index < bytes.count, bytes[index] == character.asciiValue else { return false }
    index += 1
    return true
  }

  private mutating func expect(_ character: Character) throws {
    guard skip(character) else { throw failure("no \(character)") }
  }

  private mutating func value() throws -> JSON {
    skipSpace()
    guard index < bytes.count else { throw failure("the document ends") }
    switch bytes[index] {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .scalar(.string(try string()))
    default: return try word()
    }
  }

  private mutating func object() throws -> JSON {
    var members: [(key: String, value: JSON)] = []
    try expect("{")
    if skip("}") { return .object([]) }
    repeat {
      skipSpace()
      let key = try string()
      try expect(":")
      members.append((key, try value()))
    } while skip(",")
    try expect("}")
    return .object(members)
  }

  private mutating func array() throws -> JSON {
    var elements: [JSON] = []
    try expect("[")
    if skip("]") { return .array([]) }
    repeat { elements.append(try value()) } while skip(",")
    try expect("]")
    return .array(elements)
  }

  private mutating func string() throws -> String {
    guard skip("\"") else { throw failure("no string") }
    var units: [UInt16] = []
    var run = index
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      guard bytes[index] == UInt8(ascii: "\\") else {
        index += 1
        continue
      }
      units += String(decoding: bytes[run..<index], as: UTF8.self).utf16
      units.append(try escape())
      run = index
    }
    guard index < bytes.count else { throw failure("a string does not end") }
    units += String(decoding: bytes[run..<index], as: UTF8.self).utf16
    index += 1
    return String(decoding: units, as: UTF16.self)
  }

  private mutating func escape() throws -> UInt16 {
    guard index + 1 < bytes.count else { throw failure("an escape does not end") }
    let kind = bytes[index + 1]
    index += 2
    switch kind {
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "u"):
      guard index + 4 <= bytes.count,
        let unit = UInt16(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
      else { throw failure("a bad \\u") }
      index += 4
      return unit
    default: return UInt16(kind)
    }
  }

  private mutating func word() throws -> JSON {
    let start = index
    while index < bytes.count, ![0x2C, 0x5D, 0x7D, 0x20, 0x0A, 0x0D, 0x09].contains(bytes[index]) { index += 1 }
    let word = String(decoding: bytes[start..<index], as: UTF8.self)
    switch word {
    case "null": return .null
    case "true": return .scalar(.bool(true))
    case "false": return .scalar(.bool(false))
    default:
      if let integer = Int64(word) { return .scalar(.int(integer)) }
      guard let double = Double(word), double.isFinite else { throw failure("\(word) is no value") }
      return .scalar(.double(double == 0 ? 0 : double))
    }
  }
}

extension JSON {
  package init(parsing text: String) throws {
    var parser = JSONParser(text)
    self = try parser.document()
  }
}
