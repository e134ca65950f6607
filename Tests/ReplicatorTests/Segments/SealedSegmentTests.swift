import OfflineTree
import Testing

@testable import Replicator

@Suite struct SealedSegmentTests {
  static let keys = TestKeys.epoch()
  static let known = TestKeys.known(keys)

  static func file(from first: UInt64 = 0, _ sizes: [Int] = [1, 20, 300]) throws -> [UInt8] {
    try SealedSegment.seal(SegmentTests.run(from: first, sizes), keys, random: TestKeys.random)
  }

  private func refusal(of file: [UInt8], _ known: [EpochID: EpochKeys] = known) -> TreeError? {
    #expect(throws: TreeError.self) { try SealedSegment(opening: file, known: known) }
  }

  @Test(arguments: [[1], [127, 128], [16_383, 16_384, 5], [70_000], Array(repeating: 3, count: 1_000)])
  func `a segment is opened as it was sealed`(sizes: [Int]) throws {
    let run = SegmentTests.run(from: 41, sizes)
    let file = try SealedSegment.seal(run, Self.keys, random: TestKeys.random)
    let segment = try SealedSegment(opening: file, known: Self.known)
    var expected = run
    expected.epoch = Self.keys.id
    #expect(segment.run == expected)
    #expect(segment.header.segment.head == run.head)
    #expect(segment.header.fileByteCount == file.count)
    let start = file.prefix(SealedHeader.end)
    #expect(try SealedHeader(opening: start, try SealedOuter(decoding: start), Self.keys) == segment.header)
  }

  @Test func `every flipped bit is refused`() throws {
    let file = try Self.file()
    for index in file.indices {
      for bit in 0..<8 {
        var flipped = file
        flipped[index] ^= 1 << UInt8(bit)
        _ = refusal(of: flipped)
      }
    }
  }

  @Test func `every cut and every longer one is refused`() throws {
    let file = try Self.file()
    for count in file.indices { _ = refusal(of: Array(file[..<count])) }
    for more in [[0], file, [UInt8](repeating: 0, count: 64)] { #expect(refusal(of: file + more)?.code == .damaged) }
  }

  @Test func `another epoch's file says that its key is not here, and another space's does not open`() throws {
    let file = try Self.file()
    #expect(refusal(of: file, TestKeys.known(TestKeys.epoch(2)))?.code == .notFound)
    #expect(refusal(of: file, [:])?.code == .notFound)
    // The same key in another space has another id; under the id of this one nothing opens either.
    let other = TestKeys.epoch(1, space: .zero)
    #expect(other.id != Self.keys.id)
    #expect(refusal(of: file, [Self.keys.id: other])?.code == .damaged)
    #expect(refusal(of: file, [Self.keys.id: TestKeys.epoch(2)])?.code == .damaged)
  }

  @Test func `parts of two files make none`() throws {
    let (one, two) = (try Self.file(), try Self.file([2, 20, 301]))
    let again = try SealedSegment.seal(
      SegmentTests.run([1, 20, 300]), Self.keys, random: [UInt8](repeating: 6, count: 32))
    #expect(one.count == two.count && one.count == again.count)
    for other in [two, again] {
      for cut in [64, SealedHeader.end] {
        #expect(refusal(of: Array(one[..<cut]) + other[cut...])?.code == .damaged)
        #expect(refusal(of: Array(other[..<cut]) + one[cut...])?.code == .damaged)
      }
      let header = Array(one[..<64]) + other[64..<SealedHeader.end] + one[SealedHeader.end...]
      #expect(refusal(of: header)?.context.contains("header") == true)
    }
  }

  @Test func `an acknowledgement is no segment, and a segment no acknowledgement`() throws {
    let peer = PeerIdentity(deviceKey: .zero, name: "n", homeToken: .zero)
    let clock = VectorClock([LogPosition(log: .zero, seq: 1, hash: .zero)])
    let acknowledgement = Acknowledgement(peer: peer, counter: 1, wallTime: 2, clock: clock)
      .sealed(Self.keys, random: TestKeys.random) { _ in TestKeys.signature }
    #expect(refusal(of: acknowledgement)?.code == .damaged)
    #expect(throws: TreeError.self) { try Acknowledgement(opening: try Self.file(), known: Self.known) }
    for (var file, kind) in [(acknowledgement, UInt8(1)), (try Self.file(), 2)] {
      file[6] = kind
      _ = refusal(of: file)
      #expect(throws: TreeError.self) { try Acknowledgement(opening: file, known: Self.known) }
    }
  }

  @Test func `no nonce serves two contents, also if randomness repeats`() throws {
    var nonces: Set<[UInt8]> = []
    let runs = (1...50).map { SegmentTests.run([$0]) } + (1...50).map { SegmentTests.run(from: UInt64($0), [1]) }
    var resigned = runs[0]
    resigned.signature = Signature((1..<65).reversed())
    for run in runs + [resigned] {
      let file = try SealedSegment.seal(run, Self.keys, random: TestKeys.random)
      nonces.insert(try SealedOuter(decoding: file[...]).nonce)
      #expect(try SealedSegment.seal(run, Self.keys, random: TestKeys.random) == file)
    }
    #expect(nonces.count == 101)
    let other = try SealedSegment.seal(runs[0], Self.keys, random: [UInt8](repeating: 6, count: 32))
    #expect(nonces.insert(try SealedOuter(decoding: other[...]).nonce).inserted)
  }

  @Test func `a length tells its class and nothing else`() throws {
    // Bytes that do not compress, so that each length is one of its own.
    let lengths = try (1_000..<1_400).map { count in
      var run = SegmentTests.run([count])
      run = ChangeRun(
        log: run.log, first: 0, hashBefore: run.hashBefore, bodies: [Sodium.randomBytes(count)[...]],
        signature: run.signature)
      return try SealedSegment.seal(run, Self.keys, random: TestKeys.random).count - SealedHeader.end - 16
    }
    #expect(lengths.allSatisfy { Padding.paddedCount($0) == $0 })
    #expect(Set(lengths).count < 20)
  }
}
