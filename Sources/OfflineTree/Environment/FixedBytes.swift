/// 16 bytes, compared and ordered as bytes: a log's id, a parent's short hash, a home's token.
public struct Bytes16: Hashable, Sendable, Comparable, CustomStringConvertible {
  private var high: UInt64
  private var low: UInt64

  public static let zero = Bytes16(high: 0, low: 0)

  /// Both halves in the machine's memory order; use the byte accessors for anything that leaves the process.
  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The first 16 of `bytes`, which has at least as many.
  public init(_ bytes: some Sequence<UInt8>) {
    self = .zero
    unsafe withUnsafeMutableBytes(of: &self) { target in
      var count = 0
      for byte in bytes.prefix(16) {
        unsafe target[count] = byte
        count += 1
      }
      precondition(count == 16, "Bytes16 needs 16 bytes")
    }
  }

  public var bytes: [UInt8] { unsafe withUnsafeBytes(of: self) { unsafe Array($0) } }

  public static func < (left: Bytes16, right: Bytes16) -> Bool {
    let (leftHigh, rightHigh) = (left.high.bigEndian, right.high.bigEndian)
    return leftHigh != rightHigh ? leftHigh < rightHigh : left.low.bigEndian < right.low.bigEndian
  }

  /// Lower-case hexadecimal, 32 characters.
  public var description: String { hexadecimal(bytes) }
}

/// 32 bytes, compared and ordered as bytes: a hash, a public key, a space's id.
public struct Bytes32: Hashable, Sendable, Comparable, CustomStringConvertible {
  private var first: Bytes16
  private var second: Bytes16

  public static let zero = Bytes32(first: .zero, second: .zero)

  private init(first: Bytes16, second: Bytes16) {
    self.first = first
    self.second = second
  }

  /// The first 32 of `bytes`, which has at least as many.
  public init(_ bytes: some Sequence<UInt8>) {
    let all = Array(bytes.prefix(32))
    precondition(all.count == 32, "Bytes32 needs 32 bytes")
    self.init(first: Bytes16(all[..<16]), second: Bytes16(all[16...]))
  }

  public var bytes: [UInt8] { first.bytes + second.bytes }

  /// The first 16 bytes: how a parent's hash travels.
  public var prefix16: Bytes16 { first }

  public static func < (left: Bytes32, right: Bytes32) -> Bool {
    left.first != right.first ? left.first < right.first : left.second < right.second
  }

  /// Lower-case hexadecimal, 64 characters.
  public var description: String { hexadecimal(bytes) }
}

/// Lower-case hexadecimal digits of `bytes`.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  var text = ""
  for byte in bytes {
    text.append(byte < 16 ? "0" : "")
    text.append(String(byte, radix: 16))
  }
  return text
}

/// The bytes that hexadecimal digits of either case spell, or nil for an odd count or another character.
package func bytes(fromHexadecimal text: String) -> [UInt8]? {
  let digits = Array(text.utf8)
  guard digits.count.isMultiple(of: 2) else { return nil }
  var result: [UInt8] = []
  result.reserveCapacity(digits.count / 2)
  for index in stride(from: 0, to: digits.count, by: 2) {
    guard let high = hexadecimalDigit(digits[index]), let low = hexadecimalDigit(digits[index + 1]) else { return nil }
    result.append(high << 4 | low)
  }
  return result
}

private func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}

/// The name of one log: hash of space, device key and 16 random bytes.
public typealias LogID = Bytes16
/// The name of one space: hash of its genesis record.
public typealias SpaceID = Bytes32
/// The name of an epoch, the time between two rotations of the space's key: a keyed hash.
package typealias EpochID = Bytes16
