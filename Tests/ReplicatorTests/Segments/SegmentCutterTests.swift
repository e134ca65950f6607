import OfflineTree
import Testing

@testable import Replicator

@Suite struct SegmentCutterTests {
  private func run(
    _ log: UInt8, after previous: ChangeRun? = nil, _ sizes: [Int], signature: UInt8 = 1, epoch: UInt8? = nil
  ) -> ChangeRun {
    var run = ChangeRun(
      log: Bytes16(repeatElement(log, count: 16)), first: previous.map { $0.last + 1 } ?? 0,
      hashBefore: previous?.head ?? .zero, bodies: sizes.map { [UInt8](repeating: log, count: $0)[...] },
      signature: Signature([UInt8](repeating: signature, count: 64)))
    run.epoch = epoch.map { Bytes16(repeatElement($0, count: 16)) }
    return run
  }

  @Test func `runs of one log that follow each other become one`() {
    var cutter = SegmentCutter()
    let (a, b) = (run(1, [10, 20]), run(2, [5]))
    let (c, d) = (run(1, after: a, [30], signature: 2), run(2, after: b, [6, 7], signature: 3))
    for piece in [a, b, c, d] { #expect(cutter.add(piece).isEmpty) }
    let done = cutter.finish()
    #expect(done.map(\.run.bodies.count) == [3, 3])
    #expect(done.map(\.head) == [c.head, d.head])
    #expect(done.allSatisfy { $0.run.head == $0.head })
    #expect(done.map(\.run.signature) == [c.signature, d.signature], "only the last change is signed")
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

  @Test func `a run of another epoch begins another segment`() {
    var cutter = SegmentCutter()
    let a = run(1, [10], epoch: 1)
    let b = run(1, after: a, [11], epoch: 2)
    let c = run(1, after: b, [12], epoch: 2)
    #expect(cutter.add(a).isEmpty)
    #expect(cutter.add(b).map(\.run) == [a])
    #expect(cutter.add(c).isEmpty)
    let done = cutter.finish().map(\.run)
    #expect(done.map(\.epoch) == [b.epoch])
    #expect(done.flatMap(\.bodies) == b.bodies + c.bodies)
  }

  @Test func `no segment is longer than the target unless one run is, and no run is divided`() {
    var cutter = SegmentCutter()
    let a = run(1, [3 << 20])
    let b = run(1, after: a, [1 << 20, 1 << 19])
    let c = run(1, after: b, [9 << 20, 100])
    let done = (cutter.add(a) + cutter.add(b) + cutter.add(c) + cutter.finish()).map(\.run)
    #expect(done == [a, b, c])
  }

  @Test func `many logs are given out before too much is gathered`() {
    var cutter = SegmentCutter()
    var given = 0
    for log in 1...20 { given += cutter.add(run(UInt8(log), [3 << 20])).count }
    #expect(given == 10)
    #expect(cutter.finish().count == 10)
  }
}
