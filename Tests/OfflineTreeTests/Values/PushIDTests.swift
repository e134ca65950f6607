import OfflineTree
import TestSupport
import Testing

struct PushIDTests {
  static let alphabet = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

  @Test(
    arguments: [
      (0, "--------"), (1, "-------0"), (63, "-------z"), (64, "------0-"), ((1 << 48) - 1, "zzzzzzzz"),
      (-5, "--------"), (.max, "zzzzzzzz"),
    ] as [(Int64, String)])
  func `the first 8 characters are the time`(milliseconds: Int64, text: String) throws {
    let key = PushID.key(milliseconds: milliseconds, chance: Array(repeating: 0, count: 9))
    #expect(key.text == text + "------------")
    #expect(PushID.milliseconds(of: key) == min(max(milliseconds, 0), (1 << 48) - 1))
  }

  @Test func `the chance is 72 bits, six a character`() {
    let key = PushID.key(milliseconds: 0, chance: [0x00, 0x10, 0x83, 0xFF, 0xFF, 0xFF, 0, 0, 1])
    #expect(key.text == "---------012zzzz---0")
  }

  @Test(
    arguments: [
      ("-INOQPH-aV_psbk3ZXEX", 1_325_376_000_000...1_356_998_400_000),
      ("-KaQYfs3kbt4XgDY0ftb", 1_483_228_800_000...1_514_764_800_000),
      ("-KbJbPknFNECn07m1yzy", 1_483_228_800_000...1_514_764_800_000),
    ] as [(String, ClosedRange<Int64>)])
  func `samples of Firebase tell their time`(text: String, years: ClosedRange<Int64>) throws {
    let time = try #require(PushID.milliseconds(of: try Key(text)))
    #expect(years.contains(time), "\(time)")
  }

  @Test(arguments: ["", "-KaQYfs3kbt4XgDY0ft", "-KaQYfs3kbt4XgDY0ftbb", "-KaQYfs3kbt4XgDY0ft~", "-KaQYfs3 bt4XgDY0ftb"])
  func `other keys tell no time`(text: String) {
    #expect((try? Key(text)).flatMap { PushID.milliseconds(of: $0) } == nil)
  }

  @Test func `within one millisecond the last id is counted up, with carry`() {
    var generator = PushIDGenerator()
    let chance: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0x0F, 0xFF]
    #expect(generator.next(milliseconds: 5, chance: chance).text == "-------4----------zz")
    #expect(generator.next(milliseconds: 5, chance: chance).text == "-------4---------0--")
    #expect(generator.next(milliseconds: 4, chance: chance).text == "-------4---------0-0")
    #expect(generator.next(milliseconds: 6, chance: chance).text == "-------5----------zz")
  }

  @Test func `when the chance is used up the next millisecond begins`() {
    var generator = PushIDGenerator()
    let highest = [UInt8](repeating: 0xFF, count: 9)
    #expect(generator.next(milliseconds: 5, chance: highest).text == "-------4zzzzzzzzzzzz")
    #expect(generator.next(milliseconds: 5, chance: Array(repeating: 0, count: 9)).text == "-------5------------")
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `ids only ever go up, whatever the clock does`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var generator = PushIDGenerator()
    var clock: Int64 = 1_700_000_000_000
    var last: Key?
    for _ in 0..<2_000 {
      clock += Int64.random(in: -3...3, using: &random)
      let chance = (0..<9).map { _ in UInt8.random(in: .min ... .max, using: &random) | 0xF0 }
      let key = generator.next(milliseconds: clock, chance: chance)
      #expect(key.text.utf8.count == 20 && key.text.allSatisfy { PushIDTests.alphabet.contains($0) })
      if let last { #expect(last < key && last.utf8.lexicographicallyPrecedes(key.utf8)) }
      last = key
    }
  }
}
