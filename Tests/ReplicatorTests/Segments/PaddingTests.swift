import Testing

@testable import Replicator

@Suite struct PaddingTests {
  @Test(arguments: [
    (0, 0), (1, 1), (2, 2), (8, 8), (9, 10), (15, 16), (16, 16), (100, 104), (1_000, 1_024), (65_537, 67_584),
    (1 << 20, 1 << 20), ((1 << 20) + 1, 1_081_344), ((32 << 20) - 1, 32 << 20),
  ])
  func `a length goes up to its class`(count: Int, padded: Int) {
    #expect(Padding.paddedCount(count) == padded)
    #expect(Padding.paddedCount(padded) == padded)
  }

  @Test func `no padding is more than an eighth, and none is less than nothing`() {
    var classes: Set<Int> = []
    var last = 0
    for count in 0..<100_000 {
      let padded = Padding.paddedCount(count)
      #expect(padded >= count && padded <= count + count / 8 && padded >= last)
      classes.insert(padded)
      last = padded
    }
    #expect(classes.count < 200, "lengths tell more than they should")
  }

  @Test func `what is added is zeros`() {
    let padded = Padding.padded([UInt8](repeating: 9, count: 100))
    #expect(padded.prefix(100).allSatisfy { $0 == 9 } && padded.dropFirst(100).elementsEqual([0, 0, 0, 0]))
  }
}
