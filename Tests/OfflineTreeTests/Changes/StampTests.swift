import OfflineTree
import TestSupport
import Testing

@Suite struct StampTests {
  @Test(arguments: [
    (Stamp.at(10), Stamp.at(11)), (.at(10, 5), .at(10, 6)), (.at(10, .max), .at(11)), (.zero, .at(0, 1)),
  ])
  func `stamps are ordered by milliseconds, then by counter`(low: Stamp, high: Stamp) {
    #expect(low < high)
    #expect(!(high < low))
    #expect(!(low < low))
  }

  @Test func `a counter that overflows carries into the milliseconds`() {
    #expect(Stamp.at(7, 3).successor == .at(7, 4))
    #expect(Stamp.at(7, .max).successor == .at(8))
    #expect(Stamp.at(.max, .max).successor == nil)
  }

  @Test(
    arguments: [
      (Stamp.at(100), 200, Stamp.at(200)), (.at(100), 100, .at(100, 1)), (.at(100, 9), 50, .at(100, 10)),
      (.at(100), -5, .at(100, 1)), (.zero, 0, .at(0, 1)), (.at(100, .max), 0, .at(101)),
      (.at(0), .max, .at(1 << 32)), (.at(9, 1), 9 + (1 << 32), .at(9 + (1 << 32))),
    ] as [(Stamp, Int64, Stamp)])
  func `the next stamp is the clock's, or just above what was seen`(seen: Stamp, clock: Int64, next: Stamp) {
    #expect(Stamp.next(after: seen, wallClock: clock) == next)
    #expect(next.isAllowed(after: seen))
  }

  @Test func `a stamp is allowed above what was seen, by at most 2^32 milliseconds`() {
    let seen = Stamp.at(1_000, 7)
    #expect(!Stamp.at(1_000, 7).isAllowed(after: seen))
    #expect(!Stamp.at(999, .max).isAllowed(after: seen))
    #expect(Stamp.at(1_000, 8).isAllowed(after: seen))
    #expect(Stamp.at(1_000 + (1 << 32), .max).isAllowed(after: seen))
    #expect(!Stamp.at(1_001 + (1 << 32)).isAllowed(after: seen))
    #expect(Stamp.at(.max, 1).isAllowed(after: .at(.max)))
  }
}

@Suite struct VectorClockTests {
  private func position(_ log: UInt8, _ seq: UInt64, _ hash: UInt8 = 0) -> LogPosition {
    LogPosition(
      log: Bytes16(repeatElement(log, count: 16)), seq: seq, hash: Bytes32(repeatElement(hash, count: 32)))
  }

  @Test func `equal sets of positions are equal clocks with equal digests`() {
    let positions = [position(2, 1), position(1, 9), position(1, 3, 4)]
    let clock = VectorClock(positions)
    #expect(clock == VectorClock(positions.reversed()))
    #expect(clock.digest == VectorClock(positions.reversed()).digest)
    #expect(clock.positions == positions.sorted())
  }

  @Test func `every part of a position is in the digest`() {
    let clocks = [
      VectorClock([LogPosition]()), VectorClock([position(1, 1, 1)]), VectorClock([position(2, 1, 1)]),
      VectorClock([position(1, 2, 1)]), VectorClock([position(1, 1, 2)]),
      VectorClock([position(1, 1, 1), position(2, 1, 1)]),
    ]
    #expect(Set(clocks.map(\.digest)).count == clocks.count)
  }
}

@Suite struct ContextTests {
  @Test func `a context covers what was raised and all before it`() {
    var context = Context()
    #expect(!context.covers(0, 0))
    context.raise(2, to: 3)
    #expect(context.covers(2, 0) && context.covers(2, 2))
    #expect(!context.covers(2, 3) && !context.covers(1, 0) && !context.covers(9, 0))
    context.raise(2, to: 1)
    #expect(context.count(2) == 3)
    #expect(context.entries.map(\.log) == [2])
  }

  @Test func `a union covers what either covers, and entries of 0 do not matter`() {
    let left = Context(counts: [1, 0, 5])
    let right = Context(counts: [3, 2])
    var union = left
    union.formUnion(right)
    #expect(union == Context(counts: [3, 2, 5, 0]))
    #expect(union.contains(left) && union.contains(right))
    #expect(!left.contains(right) && !right.contains(left))
    #expect(Context() == Context(counts: [0, 0]))
  }

  @Test func `contexts that differ in one log share the rest`() {
    let context = Context(counts: (1...1_000).map { UInt64($0) })
    var (others, pool) = ([Context](), Set<[UInt64]>())
    for log in 0..<100 {
      var other = context
      other.raise(log, to: 5_000)
      other.share(&pool)
      others.append(other)
    }
    // 1,000 logs are 16 pieces; 64 and then 36 of them differ in the first and in the second.
    #expect(pool.count == 16 + 100)
    #expect(others.enumerated().allSatisfy { $0.element.count($0.offset) == 5_000 && $0.element.contains(context) })
    var union = context
    for other in others { union.formUnion(other) }
    #expect(union.count(99) == 5_000 && union.count(100) == 101 && union.count(999) == 1_000)
  }
}
