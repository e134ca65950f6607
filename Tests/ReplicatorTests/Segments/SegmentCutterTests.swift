import OfflineTree
import Testing

@testable import Replicator

@Suite struct SegmentCutterTests {
  private func run(_ log: UInt8, after previous: ChangeRun? = nil, _ sizes: [Int]) -> ChangeRun {
    ChangeRun(
      log: Bytes16(repeatElement(log, count: 16)), first: previous.map { $0.last + 1 } ?? 0,
      hashBefore: previous?.head ?? .zero, bodies: sizes.map { [UInt8](repeating: log, count: $0)[...] })
  }

  @Test func `runs of one log that follow each other become one`() {
    var cutter = SegmentCutter()
    let (a, b) = (run(1, [10, 20]), run(2, [5]))
    let (c, d) = (run(1, after: a, [30]), run(2, after: b, [6, 7]))
    for piece in [a, b, c, d] { #expect(cutter.add(piece).isEmpty) }
    let done = cutter.finish()
    #expect(done.map(\.run.bodies.count) == [3, 3])
    #expect(done.map(\.head) == [c.head, d.head])
    #expect(done.allSatisfy { $0.run.head == $0.head })
    #expect(cutter.finish().isEmpty)
  }

  @Test func `a run that does not follow begins another`() {
    var cutter = SegmentCutter()
    let a = run(1, [10])
    let branch = run(1, [11])
    #expect(cutter.add(a).isEmpty)
    #expect(cutter.add(branch).map(\.run) == [a])
    #expect(cutter.finish().map(\.run) == [branch])
  }

  @Test func `no segment is longer than the target unless one change is`() {
    var cutter = SegmentCutter()
    let big = run(1, [3 << 20, 3 << 20, 9 << 20, 100])
    let done = cutter.add(big) + cutter.finish()
    #expect(done.map(\.run.bodies.count) == [1, 1, 1, 1])
    #expect(done.flatMap(\.run.bodies) == big.bodies)
    #expect(done.last?.head == big.head)
  }

  @Test func `many logs are given out before too much is gathered`() {
    var cutter = SegmentCutter()
    var given = 0
    for log in 1...20 { given += cutter.add(run(UInt8(log), [3 << 20])).count }
    #expect(given == 10)
    #expect(cutter.finish().count == 10)
  }
}
