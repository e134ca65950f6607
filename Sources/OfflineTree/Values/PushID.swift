/// Push ids: keys of 20 characters that sort by the time when they were made.
///
/// 8 characters are the milliseconds since 1970 (48 bits), 12 are chance (72 bits), six bits each, highest first, in an
/// alphabet whose characters stand in ASCII order.
package enum PushID {
  static let alphabet = Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)
  static let timeCharacters = 8
  static let chanceCharacters = 12
  /// Bytes that make up the chance in an id.
  package static let chanceBytes = 9
  package static let latest: Int64 = (1 << 48) - 1

  /// The time in an id's first 8 characters; nil for a key that is no push id.
  package static func milliseconds(of key: Key) -> Int64? {
    let text = key.utf8
    guard text.count == timeCharacters + chanceCharacters else { return nil }
    var time: Int64 = 0
    for (index, byte) in text.enumerated() {
      guard let digit = alphabet.firstIndex(of: byte) else { return nil }
      if index < timeCharacters { time = time << 6 | Int64(digit) }
    }
    return time
  }

  /// The id of that time, held within 48 bits, with 9 bytes of chance, or of a hash.
  package static func key(milliseconds: Int64, chance: [UInt8]) -> Key {
    key(milliseconds: milliseconds, digits: digits(of: chance))
  }

  static func key(milliseconds: Int64, digits: [UInt8]) -> Key {
    let text = timeText(milliseconds) + digits.map { alphabet[Int($0)] }
    return Key(trusted: String(decoding: text, as: UTF8.self))
  }

  /// The first 8 characters of the ids of that time.
  package static func timeText(_ milliseconds: Int64) -> [UInt8] {
    let time = min(max(milliseconds, 0), latest)
    return (0..<timeCharacters).map { alphabet[Int(time >> Int64(6 * (timeCharacters - 1 - $0)) & 63)] }
  }

  /// Cuts 9 bytes into 12 digits of six bits.
  static func digits(of chance: [UInt8]) -> [UInt8] {
    precondition(chance.count == chanceBytes, "a push id needs 9 bytes of chance")
    return stride(from: 0, to: chanceBytes, by: 3).flatMap { start -> [UInt8] in
      let bits = UInt32(chance[start]) << 16 | UInt32(chance[start + 1]) << 8 | UInt32(chance[start + 2])
      return [18, 12, 6, 0].map { UInt8(bits >> $0 & 63) }
    }
  }
}

/// Makes push ids that only ever go up, also within one millisecond and when the clock steps back.
package struct PushIDGenerator: Sendable {
  private var lastTime: Int64 = -1
  private var digits: [UInt8] = []

  package init() {}

  /// The next id.
  ///
  /// - Parameters:
  ///   - milliseconds: the wall clock; a time before the last id's counts as the last id's.
  ///   - chance: 9 random bytes, used when the time is new; within one millisecond the last id's are counted up.
  package mutating func next(milliseconds: Int64, chance: [UInt8]) -> Key {
    let now = min(max(milliseconds, 0), PushID.latest)
    if now > lastTime {
      start(at: now, chance: chance)
    } else if !countUp() {
      start(at: lastTime + 1, chance: chance)
    }
    return PushID.key(milliseconds: lastTime, digits: digits)
  }

  private mutating func start(at time: Int64, chance: [UInt8]) {
    lastTime = time
    digits = PushID.digits(of: chance)
  }

  /// Adds 1 to the digits; false if all were at their highest.
  private mutating func countUp() -> Bool {
    for index in digits.indices.reversed() {
      if digits[index] < 63 {
        digits[index] += 1
        return true
      }
      digits[index] = 0
    }
    return false
  }
}
