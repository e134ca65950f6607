import TestSupport
import Testing

@testable import OfflineTree

/// The code was worked out from docs/format.md by another program.
@Suite struct RecoveryCodeTests {
  static let text = "000G4-0R40M-30E20-9185G-R38E1-XS"
  static let publicKey = "e38ecce4fac9c7c27b5af0efba220b987e4640d162032de7ab5bceb63476ced8"

  private static func error(_ text: String) -> TreeError? {
    do throws(TreeError) {
      _ = try RecoveryCode(parsing: text)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a code is the text and the key that the format says`() throws {
    var environment = Environment.system
    // The 6 bits beyond the 130 do not count.
    environment.randomBytes = { count in (0..<count).map { $0 < 16 ? UInt8($0) : 0x7F } }
    let code = RecoveryCode(environment: environment)
    #expect(code.text == Self.text)
    #expect(code.publicKey.description == Self.publicKey)
  }

  @Test(
    arguments: [
      text, "000g4 0r40m 30e20 9185g r38e1 xs", "OOOG4-OR4OM-3OE2O-9L85G-R38EI-XS", "ooog4or4om3oe2o9185gr38elxs",
      "\n 000G4--0R40M\t30E20-9185G-R38E1-XS\r\n",
    ])
  func `a code is read as people type it`(typed: String) throws {
    let code = try RecoveryCode(parsing: typed)
    #expect(code.text == Self.text)
    #expect(code.publicKey.description == Self.publicKey)
  }

  @Test func `what was drawn is read, and signs for the same key`() throws {
    var seen: Set<String> = []
    for _ in 0..<100 {
      let code = RecoveryCode()
      seen.insert(code.text)
      let typed = try RecoveryCode(parsing: code.text.lowercased())
      #expect(typed.text == code.text && typed.publicKey == code.publicKey)
      let message = SignaturePurpose.recovery.message(.zero, [1])
      #expect(Sodium.isValid(typed.sign(message), of: message, byUnknown: code.publicKey))
    }
    #expect(seen.count == 100)
  }

  @Test func `one wrong character anywhere is found`() {
    let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    let code = Array(Self.text.utf8)
    for place in code.indices where code[place] != UInt8(ascii: "-") {
      for other in digits where other != code[place] {
        var wrong = code
        wrong[place] = other
        #expect(Self.error(String(decoding: wrong, as: UTF8.self))?.context.contains("mistyped") == true)
      }
    }
  }

  @Test func `two neighbours that change places are found`() {
    let code = Array(Self.text.utf8.filter { $0 != UInt8(ascii: "-") })
    for place in 1..<code.count where code[place] != code[place - 1] {
      var wrong = code
      wrong.swapAt(place, place - 1)
      #expect(Self.error(String(decoding: wrong, as: UTF8.self)) != nil, "\(place)")
    }
  }

  private static let wrong: [(String, String)] = [
    ("", "cut off"), ("000G4", "cut off"), ("000G4-0R40M-30E20-9185G-R38E1-X", "cut off"),
    ("000G4-0R40M-30E20-9185G-R38E1-XS0", "too long"), (String(repeating: "0", count: 100_000), "too long"),
    ("U00G4-0R40M-30E20-9185G-R38E1-XS", "character"), ("é0G4-0R40M-30E20-9185G-R38E1-XS", "character"),
    ("*00G4-0R40M-30E20-9185G-R38E1-XS", "character"), ("000G4-0R40M-30E20-9185G-R38E1-X*", "mistyped"),
  ]

  @Test(arguments: wrong)
  func `each way to be wrong has its words`(typed: String, words: String) {
    let error = Self.error(typed)
    #expect(error?.code == .invalidArgument && error?.context.contains(words) == true, "\(String(describing: error))")
  }

  @Test(arguments: [(0, "0"), (32, "*"), (33, "~"), (34, "$"), (35, "="), (36, "U"), (37, "0")] as [(Int, String)])
  func `the check may be one of five characters that are no digits`(number: Int, check: String) throws {
    let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    let last = [digits[number / 32], digits[number % 32]]
    let text = String(repeating: "0", count: 24) + String(decoding: last, as: UTF8.self) + check
    #expect(try RecoveryCode(parsing: text).text.hasSuffix(check))
  }
}
