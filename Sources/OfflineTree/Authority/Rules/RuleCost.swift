/// What judging costs, in steps of about a nanosecond.
///
/// The numbers are part of the rules' meaning: a change that one device refuses for its cost must be refused by all, in
/// every version.
enum RuleCost {
  /// One instruction.
  static let instruction = 16
  /// Of a pattern, one character of the text, and each state there.
  static let character = 4

  /// Comparing texts, or counting what is in one.
  static func pass(_ bytes: Int) -> Int { bytes / 2 }
  /// Making a text.
  static func copy(_ bytes: Int) -> Int { bytes * 3 }
  /// Looking for a text in another.
  static func search(_ bytes: Int) -> Int { bytes * 6 }
  /// Replacing a text at one place.
  static let replacement = 64
  /// Looking for a path among so many puts.
  static func lookUp(among puts: Int, bytes: Int) -> Int {
    let rounds = Int.bitWidth - puts.leadingZeroBitCount + 1
    return rounds * (8 + bytes / 4)
  }
}
