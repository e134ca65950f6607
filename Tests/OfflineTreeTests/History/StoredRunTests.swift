import TestSupport
import Testing

@testable import OfflineTree

/// The three forms of rows of changes.
@Suite struct StoredRunTests {
  private let log = LogID([UInt8](repeating: 7, count: 16))
  private let before = Bytes32([UInt8](repeating: 3, count: 32))
  private let bodies = (0..<40).map { number in ArraySlice([UInt8](repeating: UInt8(number), count: number)) }

  private func read(_ row: [UInt8]) throws -> StoredRun { try StoredRun(key: RowKey.of(5, 9), row: row) }

  private func form(_ row: [UInt8]) -> StoredRun.Form {
    unsafe row.withUnsafeBytes { StoredRun.form(of: unsafe $0.bytes) }
  }

  private var plain: [UInt8] {
    var run = OpenRun(log: 5, first: 9, hashBefore: before)
    for body in bodies { run.append(body) }
    return run.row
  }

  @Test func `a packed row holds what a plain one holds`() throws {
    let (plain, packed) = (try read(plain), try read(StoredRun.packedRow(bodies, hashBefore: before)))
    #expect(plain.form == .plain && packed.form == .packed)
    #expect(plain.bodies == packed.bodies && packed.bodies == bodies)
    #expect(packed.log == 5 && packed.first == 9 && packed.next == 49 && packed.hashBefore == before)
    #expect(plain.hashes(introduced: log) == packed.hashes(introduced: log))
  }

  @Test func `a gap keeps what stays, with its hashes`() throws {
    let whole = try read(plain)
    let hashes = whole.hashes(introduced: log)
    let kept = [4, 5, 39].map { StoredRun.Kept(offset: $0, hashBefore: hashes[$0 - 1], body: bodies[$0]) }
    let gap = try read(
      StoredRun.gapRow(count: 40, hashBefore: before, kept: kept, authors: [(offset: 6, author: Array("ada".utf8))]))
    #expect(gap.isGap && gap.bodies.isEmpty && gap.next == 49 && gap.kept == kept)
    #expect(gap.authors == [6: Array("ada".utf8)])
    for offset in 0..<40 {
      let seq = 9 + UInt64(offset)
      let isKept = [4, 5, 39].contains(offset)
      #expect(gap.body(of: seq) == (isKept ? bodies[offset] : nil))
      let isKnown = isKept || [3, 38].contains(offset)
      #expect(gap.hash(of: seq, introduced: log) == (isKnown ? hashes[offset] : nil))
    }
  }

  @Test func `the form is told by the count alone`() throws {
    let rows = [plain, try StoredRun.packedRow(bodies, hashBefore: before)]
    #expect(rows.map(form) == [.plain, .packed])
    let gap = StoredRun.gapRow(count: 1_024, hashBefore: before, kept: [], authors: [])
    #expect(form(gap) == .gap)
    #expect(gap.count == 38)
  }

  @Test(arguments: [0, 35, 36, 39, 40, 41]) func `a row that is cut off is damaged`(count: Int) throws {
    for row in [plain, try StoredRun.packedRow(bodies, hashBefore: before)] {
      #expect(throws: TreeError.self) { try read(Array(row.prefix(count))) }
    }
  }

  @Test func `a row that says both or nothing is damaged`() throws {
    for mark in [0, 0x8000_0000, 0x4000_0000, 0xC000_0001, 0x8000_4001] as [UInt32] {
      var writer = ByteWriter()
      writer.append(before)
      writer.u32(mark)
      writer.u32(0)
      #expect(throws: TreeError.self) { try read(writer.bytes) }
    }
  }

  @Test(arguments: [2, 1_024, 0x3FFF_FFFF] as [UInt32], [1, 2, 0x3FFF_FFFF, .max] as [UInt64])
  func `a gap that says more stays in it than it has bytes is damaged`(count: UInt32, kept: UInt64) throws {
    var writer = ByteWriter()
    writer.append(before)
    writer.u32(count | StoredRun.gapMark)
    writer.varint(kept)
    #expect(throws: TreeError.self) { try read(writer.bytes) }
    #expect(StoredRun.gapCount(of: writer.bytes) == Int(count))
    writer = ByteWriter()
    writer.append(before)
    writer.u32(count | StoredRun.gapMark)
    writer.varint(0)
    writer.varint(kept)
    #expect(throws: TreeError.self) { try read(writer.bytes) }
  }

  @Test func `how many were dropped is told of gaps alone`() throws {
    let gap = StoredRun.gapRow(count: 1_024, hashBefore: before, kept: [], authors: [])
    #expect(StoredRun.gapCount(of: gap) == 1_024)
    #expect(StoredRun.gapCount(of: Array(gap.prefix(35))) == nil)
    for row in [plain, try StoredRun.packedRow(bodies, hashBefore: before)] {
      #expect(StoredRun.gapCount(of: row) == nil)
    }
  }

  @Test func `flipped bits of a packed row never trap`() throws {
    let row = try StoredRun.packedRow(bodies, hashBefore: before)
    for bit in 0..<row.count * 8 {
      var flipped = row
      flipped[bit / 8] ^= 1 << (bit % 8)
      if let run = try? read(flipped) { #expect(run.isGap || run.bodies.count == run.count) }
    }
  }
}

/// Ranges of dropped numbers.
@Suite struct DroppedRangesTests {
  @Test(arguments: UInt64(0)..<20) func `ranges are a set of numbers`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var (ranges, set) = (DroppedRanges(), Set<UInt64>())
    for _ in 0..<40 {
      let first = UInt64.random(in: 0..<40, using: &random)
      let range = first..<first + UInt64.random(in: 1...6, using: &random)
      if random.chance(60) {
        ranges.insert(range)
        set.formUnion(range)
      } else {
        ranges.remove(range)
        set.subtract(range)
      }
      #expect(Set(ranges.ranges.joined()) == set)
      #expect(zip(ranges.ranges, ranges.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
      #expect(ranges.count == UInt64(set.count) && ranges.end == (set.max().map { $0 + 1 } ?? 0))
      for number in UInt64(0)..<50 {
        #expect(ranges.contains(number) == set.contains(number))
        #expect(ranges.last(from: number, through: number + 5) == set.filter { $0 >= number && $0 <= number + 5 }.max())
        #expect(ranges.overlaps(number, number + 5) == !set.isDisjoint(with: number...number + 5))
      }
      var writer = ByteWriter()
      ranges.encode(to: &writer)
      var reader = ByteReader(writer.bytes)
      #expect(try DroppedRanges.decode(&reader) == ranges && reader.isAtEnd)
    }
  }
}
