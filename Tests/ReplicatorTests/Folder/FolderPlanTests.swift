import OfflineTree
import Testing

@testable import Replicator

@Suite struct FolderPlanTests {
  static let space = Bytes32(repeatElement(7, count: 32))

  static func hash(_ number: UInt64, branch: UInt8 = 0) -> Bytes32 {
    Bytes32((0..<32).map { $0 == 0 ? branch : UInt8(truncatingIfNeeded: number) })
  }

  static func log(_ number: UInt8) -> LogID { Bytes16(repeatElement(number, count: 16)) }

  static func header(_ log: UInt8, _ range: ClosedRange<UInt64>, branch: UInt8 = 0, bytes: Int = 100) -> SegmentHeader {
    let body = [UInt8](repeating: 1, count: 1)[...]
    let run = ChangeRun(
      log: self.log(log), first: range.lowerBound,
      hashBefore: range.lowerBound == 0 ? space : hash(range.lowerBound - 1, branch: branch),
      bodies: Array(repeating: body, count: range.count))
    return SegmentHeader(
      of: run, head: hash(range.upperBound, branch: branch), bodyLength: bytes, signature: TestKeys.signature,
      space: space)
  }

  static func item(_ header: SegmentHeader, _ name: String = "f") -> FolderPlan.Item {
    FolderPlan.Item(name: FolderName("\(name)-\(header.log)-\(header.first)-\(header.last)"), header: header)
  }

  @Test func `a log goes on with the file that extends it furthest, and with what follows that`() {
    var plan = FolderPlan(
      [Self.header(1, 0...4), Self.header(1, 3...9), Self.header(1, 5...6), Self.header(1, 10...11)].map {
        Self.item($0)
      })
    let next = plan.next(tips: [:], wanted: [])
    #expect(next.map(\.header.last) == [4, 9, 11])
    #expect(plan.next(tips: [Self.log(1): 9], wanted: []).map(\.header.last) == [11])
  }

  @Test func `a gap ends what is read`() {
    var plan = FolderPlan([Self.header(1, 0...4), Self.header(1, 6...9)].map { Self.item($0) })
    let next = plan.next(tips: [:], wanted: [])
    #expect(next.map(\.header.last) == [4])
    for item in next { plan.remove(item) }
    #expect(plan.next(tips: [Self.log(1): 4], wanted: []).isEmpty)
  }

  @Test func `what was tried comes again only after something moved`() {
    var plan = FolderPlan([Self.header(1, 0...4), Self.header(2, 0...3)].map { Self.item($0) })
    for item in plan.next(tips: [:], wanted: []) { plan.markTried(item) }
    #expect(plan.next(tips: [:], wanted: []).isEmpty)
    plan.somethingMoved()
    #expect(plan.next(tips: [:], wanted: []).count == 2)
  }

  @Test func `a log that others wait for comes first`() {
    var plan = FolderPlan([Self.header(1, 0...4), Self.header(2, 0...3)].map { Self.item($0) })
    #expect(plan.next(tips: [:], wanted: [Self.log(2)]).map(\.header.log) == [Self.log(2), Self.log(1)])
  }

  @Test func `another branch is handed over although it goes no further`() {
    var plan = FolderPlan([Self.item(Self.header(1, 0...4, branch: 1))])
    #expect(plan.next(tips: [Self.log(1): 9], wanted: []).count == 1)
  }

  @Test func `only so many bytes are opened at once`() {
    var plan = FolderPlan((1...40).map { Self.item(Self.header(UInt8($0), 0...1, bytes: 4 << 20)) })
    #expect(plan.next(tips: [:], wanted: []).count == 16)
  }

  private func coverage(_ headers: [SegmentHeader], tips: [LogPosition]) -> FolderCoverage {
    FolderCoverage(headers.map { ($0, $0.position) }, of: VectorClock(tips)) { _, _ in false }
  }

  private func tip(_ log: UInt8, _ seq: UInt64, branch: UInt8 = 0) -> LogPosition {
    LogPosition(log: Self.log(log), seq: seq, hash: Self.hash(seq, branch: branch))
  }

  @Test func `a folder covers a log as far as its files lead without a gap`() {
    let covered = coverage(
      [Self.header(1, 0...4), Self.header(1, 3...9), Self.header(1, 12...14), Self.header(1, 15...20)],
      tips: [tip(1, 30), tip(2, 3)])
    #expect(covered.clock.positions == [tip(1, 9)])
    let body = [UInt8](repeating: 1, count: 1)[...]
    func covers(_ log: UInt8, _ range: ClosedRange<UInt64>) -> Bool {
      covered.covers(
        ChangeRun(
          log: Self.log(log), first: range.lowerBound, hashBefore: .zero,
          bodies: Array(repeating: body, count: range.count)))
    }
    for range: ClosedRange<UInt64> in [12...20, 14...16, 12...12, 15...20] { #expect(covers(1, range)) }
    for range: ClosedRange<UInt64> in [10...30, 10...13, 11...12, 18...22, 21...21, 22...23] {
      #expect(!covers(1, range), "a run is written whole")
    }
    #expect(!covers(2, 0...3))
  }

  @Test func `of a forked log a folder covers the branches whose files chain by hash`() {
    let fork = SegmentHeader(
      of: ChangeRun(
        log: Self.log(1), first: 5, hashBefore: Self.hash(4), bodies: [[1], [1]]),
      head: Self.hash(6, branch: 1), bodyLength: 4, signature: TestKeys.signature, space: Self.space)
    let covered = coverage(
      [Self.header(1, 0...4), Self.header(1, 5...9), fork, Self.header(1, 11...12, branch: 1)],
      tips: [tip(1, 9), tip(1, 12, branch: 1)])
    #expect(covered.clock.positions == [tip(1, 6, branch: 1), tip(1, 9)])
  }
}
