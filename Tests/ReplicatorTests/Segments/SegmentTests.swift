import OfflineTree
import Testing

@testable import Replicator

@Suite struct SegmentTests {
  static let space = TestKeys.space
  static let log = Bytes16(repeatElement(3, count: 16))

  static func run(from first: UInt64 = 0, _ sizes: [Int]) -> ChangeRun {
    let bodies = sizes.enumerated().map {
      [UInt8](repeating: UInt8(truncatingIfNeeded: $0.offset), count: $0.element)[...]
    }
    return ChangeRun(
      log: log, first: first, hashBefore: first == 0 ? space : Bytes32(repeatElement(9, count: 32)), bodies: bodies,
      signature: TestKeys.signature)
  }

  static func segment(from first: UInt64 = 0, _ sizes: [Int] = [1, 20, 300]) throws -> [UInt8] {
    try Segment.encode(run(from: first, sizes), space: space)
  }

  /// Puts right checks over bytes that are wrong in another way.
  static func rechecked(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes.replaceSubrange(226..<242, with: Sodium.hash16(Array(bytes[..<226])).bytes)
    bytes.replaceSubrange(bytes.count - 16..<bytes.count, with: Sodium.hash16(Array(bytes.dropLast(16))).bytes)
    return bytes
  }

  @Test(arguments: [[1], [127, 128], [16_383, 16_384, 5], [70_000], Array(repeating: 3, count: 1_000)])
  func `a segment is read back as it was written`(sizes: [Int]) throws {
    let run = Self.run(from: 41, sizes)
    let bytes = try Segment.encode(run, space: Self.space)
    let segment = try Segment(decoding: bytes, space: Self.space)
    #expect(segment.run == run)
    #expect(segment.header.head == run.head)
    #expect(segment.header.plainByteCount == bytes.count)
    #expect(try SegmentHeader(decodingPlain: bytes[..<SegmentHeader.plainHeaderCount]) == segment.header)
  }

  @Test func `every flipped bit is refused`() throws {
    let bytes = try Self.segment()
    for index in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[index] ^= 1 << UInt8(bit)
        #expect(throws: TreeError.self) { try Segment(decoding: flipped, space: Self.space) }
      }
    }
  }

  @Test func `every flipped byte under right checks is refused or is another run`() throws {
    let bytes = try Self.segment()
    let original = try Segment(decoding: bytes, space: Self.space)
    for index in 0..<bytes.count - 16 where !(226..<242).contains(index) {
      var flipped = bytes
      flipped[index] ^= 0x15
      let read = try? Segment(decoding: Self.rechecked(flipped), space: Self.space)
      // The signature is for the database to judge.
      let isSignature = (162..<226).contains(index) && read?.run.bodies == original.run.bodies
      #expect(read == nil || isSignature, "byte \(index) changed what was read")
    }
  }

  @Test func `every cut and every longer one is refused`() throws {
    let bytes = try Self.segment()
    for count in bytes.indices {
      #expect(throws: TreeError.self) { try Segment(decoding: Array(bytes[..<count]), space: Self.space) }
    }
    #expect(throws: TreeError.self) { try Segment(decoding: bytes + [0], space: Self.space) }
    #expect(throws: TreeError.self) { try Segment(decoding: bytes + bytes, space: Self.space) }
  }

  @Test(arguments: [
    (4, 2, "version"), (4, 0, "version"), (5, 1, "suite"), (6, 9, "kind"), (9, 1, "epoch"),
  ])
  func `what a newer version wrote is named`(offset: Int, value: UInt8, word: String) throws {
    var bytes = try Self.segment()
    bytes[offset] = value
    let error = #expect(throws: TreeError.self) {
      try Segment(decoding: Self.rechecked(bytes), space: Self.space)
    }
    #expect(error?.code == .unsupportedVersion)
    #expect(error?.context.contains(word) == true)
  }

  @Test func `lengths from outside are held against the limits before anything is read`() throws {
    var bytes = try Self.segment()
    bytes.replaceSubrange(156..<160, with: [0xFF, 0xFF, 0xFF, 0xFF])
    let long = #expect(throws: TreeError.self) {
      try Segment(decoding: Self.rechecked(bytes), space: Self.space)
    }
    #expect(long?.code == .limitExceeded)
    bytes = try Self.segment()
    bytes.replaceSubrange(152..<156, with: [0xFF, 0xFF, 0xFF, 0x0F])
    bytes.replaceSubrange(80..<88, with: [0xFE, 0xFF, 0xFF, 0x0F, 0, 0, 0, 0])
    let many = #expect(throws: TreeError.self) {
      try Segment(decoding: Self.rechecked(bytes), space: Self.space)
    }
    #expect(many?.code == .limitExceeded)
    bytes = try Self.segment()
    bytes[160] = 63
    #expect(throws: TreeError.self) { try Segment(decoding: Self.rechecked(bytes), space: Self.space) }
  }

  @Test func `a segment of another space is told from a damaged one`() throws {
    let error = #expect(throws: TreeError.self) { try Segment(decoding: try Self.segment(), space: .zero) }
    #expect(error?.code == .invalidArgument)
  }

  @Test func `a run that is empty, beyond the limit or not signed cannot be written`() throws {
    #expect(throws: TreeError.self) { try Segment.encode(Self.run([]), space: Self.space) }
    var unsigned = Self.run([1])
    unsigned.signature = nil
    #expect(throws: TreeError.self) { try Segment.encode(unsigned, space: Self.space) }
    let many = Self.run(Array(repeating: 1, count: Limits.segmentChanges + 1))
    #expect(throws: TreeError.self) { try Segment.encode(many, head: .zero, space: Self.space) }
    #expect(throws: TreeError.self) {
      try Segment.encode(Self.run([Limits.changeBytes, Limits.changeBytes]), space: Self.space)
    }
  }

  @Test func `a suffix begins after a change that the run passes through, and only there`() {
    let run = Self.run([4, 5, 6])
    let first = ChangeRun(log: run.log, first: 0, hashBefore: run.hashBefore, bodies: Array(run.bodies[..<1]))
    let suffix = run.suffix(after: LogPosition(log: run.log, seq: 0, hash: first.head))
    #expect(suffix?.first == 1)
    #expect(suffix?.hashBefore == first.head)
    #expect(suffix?.head == run.head)
    #expect(suffix?.signature == run.signature)
    #expect(run.suffix(after: LogPosition(log: run.log, seq: 0, hash: .zero)) == nil)
    #expect(run.suffix(after: LogPosition(log: run.log, seq: 2, hash: run.head)) == nil)
    #expect(run.suffix(after: LogPosition(log: .zero, seq: 0, hash: first.head)) == nil)
  }
}
