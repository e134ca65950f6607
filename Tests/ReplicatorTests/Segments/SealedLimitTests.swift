import OfflineTree
import Testing

@testable import Replicator

/// What a member with a changed program can seal: seals that are right over contents that are not.
@Suite struct SealedLimitTests {
  private static let keys = TestKeys.epoch()

  /// A header that says what it is told to say.
  private static func header(
    count: Int = 1, bodyLength: Int = 100, frameLength: Int, first: UInt64 = 5, run: ChangeRun? = nil
  ) -> SealedHeader {
    let segment: SegmentHeader
    if let run {
      segment = SegmentHeader(
        of: run, head: run.head, bodyLength: bodyLength, signature: TestKeys.signature, space: TestKeys.space)
    } else {
      let body: ArraySlice<UInt8> = [1]
      let changes = ChangeRun(
        log: SegmentTests.log, first: first, hashBefore: .zero, bodies: Array(repeating: body, count: count))
      segment = SegmentHeader(
        of: changes, head: .zero, bodyLength: bodyLength, signature: TestKeys.signature, space: TestKeys.space)
    }
    return SealedHeader(epoch: keys.id, segment: segment, frameLength: frameLength)
  }

  private func refusal(_ header: SealedHeader, _ body: [UInt8]) -> TreeError? {
    let file = SealedSegment.seal(header, body, Self.keys, random: TestKeys.random)
    return #expect(throws: TreeError.self) {
      try SealedSegment(opening: file, known: TestKeys.known(Self.keys))
    }
  }

  private func refusal(of frame: [UInt8], bodyLength: Int, count: Int = 1) -> TreeError? {
    refusal(
      Self.header(count: count, bodyLength: bodyLength, frameLength: frame.count), Padding.padded(frame))
  }

  @Test func `declared lengths are held against the limits before the body is looked at`() throws {
    // A body that does not open would be damaged: the limit comes first.
    func code(_ header: SealedHeader) throws -> TreeError.Code? {
      var file = SealedSegment.seal(
        header, [UInt8](repeating: 0, count: Padding.paddedCount(header.frameLength)), Self.keys,
        random: TestKeys.random)
      file[file.count - 1] ^= 1
      return #expect(throws: TreeError.self) {
        try SealedSegment(opening: file, known: TestKeys.known(Self.keys))
      }?.code
    }
    #expect(try code(Self.header(frameLength: 50)) == .damaged)
    #expect(try code(Self.header(count: 10_000_000, bodyLength: 30 << 20, frameLength: 50)) == .limitExceeded)
    #expect(try code(Self.header(bodyLength: Limits.segmentBytes, frameLength: 50)) == .limitExceeded)
    #expect(try code(Self.header(bodyLength: 0xFFFF_FFFF, frameLength: 50)) == .limitExceeded)
    #expect(try code(Self.header(frameLength: Zstd.bound(100) + 1)) == .limitExceeded)
    #expect(try code(Self.header(frameLength: 0)) == .limitExceeded)
    #expect(try code(Self.header(count: 100, frameLength: 50)) == .damaged)
  }

  @Test(arguments: [UInt64(0xFFFF_FFFF), 0x1_0000_0000, .max, 1 << 63, 40 << 20])
  func `a file that says it has gigabytes is refused by its first bytes`(length: UInt64) throws {
    var file = try SealedSegmentTests.file()
    for index in 0..<8 { file[48 + index] = UInt8(truncatingIfNeeded: length >> UInt64(8 * index)) }
    let error = #expect(throws: TreeError.self) { try SealedOuter(decoding: file[..<64]) }
    #expect(error?.code == .limitExceeded)
  }

  @Test func `a frame that is larger or smaller than the header says is refused`() throws {
    let bomb = RawFrame(blocks: Array(repeating: .run(0, count: 128 << 10), count: 1_000), contentSize: 131_072_000)
    #expect(refusal(of: bomb.bytes, bodyLength: 20_000)?.code == .damaged)
    let liar = RawFrame(blocks: Array(repeating: .run(0, count: 128 << 10), count: 1_000), contentSize: 20_000)
    #expect(refusal(of: liar.bytes, bodyLength: 20_000)?.code == .damaged)
    #expect(refusal(of: try Zstd.compress([1, 2, 3]), bodyLength: 100)?.code == .damaged)
  }

  @Test func `a frame of zeros is no more than its declared bytes, and no changes`() throws {
    let length = Limits.segmentBytes - 1_000
    let frame = try Zstd.compress([UInt8](repeating: 0, count: length))
    #expect(frame.count < 10_000)
    for count in [1, Limits.segmentChanges] {
      #expect(refusal(of: frame, bodyLength: length, count: count)?.context.contains("empty") == true)
    }
  }

  @Test func `concatenated and skippable frames are refused`() throws {
    let content = [UInt8](repeating: 3, count: 1_000)
    let frame = try Zstd.compress(content)
    let noise = try Zstd.compress(Sodium.randomBytes(500))
    for bytes in [frame + frame, noise + noise, RawFrame.skippable + noise, noise + RawFrame.skippable] {
      for length in [1_000, 2_000] { #expect(refusal(of: bytes, bodyLength: length)?.code == .damaged) }
    }
  }

  @Test func `padding that is not zero is refused`() throws {
    let run = SegmentTests.run(from: 5, [40, 50])
    var bodies = ByteWriter()
    Segment.encodeBodies(of: run, to: &bodies)
    // Incompressible parts of a frame are as long as they are: this one is in the middle of a class.
    let frame = try Zstd.compress(bodies.bytes)
    let header = Self.header(bodyLength: bodies.count, frameLength: frame.count, run: run)
    var padded = Padding.padded(frame)
    try #require(padded.count > frame.count)
    let file = SealedSegment.seal(header, padded, Self.keys, random: TestKeys.random)
    #expect(try SealedSegment(opening: file, known: TestKeys.known(Self.keys)).run.bodies == run.bodies)
    padded[padded.count - 1] = 1
    #expect(refusal(header, padded)?.context.contains("padding") == true)
  }

  @Test func `a log in another order is refused`() throws {
    let run = SegmentTests.run(from: 5, [40, 50, 60])
    let swapped = ChangeRun(
      log: run.log, first: run.first, hashBefore: run.hashBefore, bodies: [run.bodies[1], run.bodies[0], run.bodies[2]])
    var bodies = ByteWriter()
    Segment.encodeBodies(of: swapped, to: &bodies)
    let frame = try Zstd.compress(bodies.bytes)
    let header = Self.header(bodyLength: bodies.count, frameLength: frame.count, run: run)
    #expect(refusal(header, Padding.padded(frame))?.context.contains("head") == true)
  }
}
