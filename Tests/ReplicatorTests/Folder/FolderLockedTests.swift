import OfflineTree
import Testing

@testable import Replicator

/// Files whose key is not here, or not here yet.
@Suite struct FolderLockedTests {
  let homes: TestHomes
  let old = TestKeys.epoch(1)
  let new = TestKeys.epoch(2)

  init() throws { homes = try TestHomes() }

  private func put(_ run: ChangeRun, _ keys: EpochKeys, as name: String) throws {
    try write(try SealedSegment.seal(run, keys, random: TestKeys.random), "\(homes.shared)/\(name)")
  }

  private func isLocked(_ index: FolderIndex, _ name: String, by epoch: EpochID) -> Bool {
    if case .locked(epoch)? = index.entries[FolderName(name)]?.content { true } else { false }
  }

  private func isIncomplete(_ index: FolderIndex, _ name: String) -> Bool {
    if case .incomplete? = index.entries[FolderName(name)]?.content { true } else { false }
  }

  @Test func `a file whose key has not come is kept, and opened when the key comes`() throws {
    try put(SegmentTests.run([1, 2]), old, as: "old")
    try put(SegmentTests.run(from: 2, [3]), new, as: "new")
    var index = FolderIndex(root: homes.shared)
    let before = Epochs(current: old, known: [old])
    var hasChanged = try index.refresh(before, now: 0)
    #expect(hasChanged)
    #expect(index.segments.map(\.entry.name) == [FolderName("old")])
    #expect(isLocked(index, "new", by: new.id))
    hasChanged = try index.refresh(before, now: 1)
    #expect(!hasChanged, "what is locked is no news")
    let after = Epochs(current: new, known: [new, old])
    let opened = [before, after, after].map { index.openLocked($0, now: 2) }
    #expect(opened == [false, true, false])
    #expect(Set(index.segments.map(\.header.epoch)) == [old.id, new.id])
    #expect(try files(below: homes.shared) == ["new", "old"])
  }

  @Test func `a look finds what a key has opened since the last`() throws {
    try put(SegmentTests.run([1, 2]), new, as: "new")
    var index = FolderIndex(root: homes.shared)
    _ = try index.refresh(Epochs(current: old, known: [old]), now: 0)
    #expect(Array(index.segments).isEmpty)
    let hasChanged = try index.refresh(Epochs(current: new, known: [new, old]), now: 0)
    #expect(hasChanged)
    #expect(index.segments.map(\.header.segment.last) == [1])
  }

  @Test func `a locked file is told by count and name, and neither refused nor removed`() throws {
    let database = try homes.make("home")
    try post("a", on: database)
    for name in ["x", "y", "z"] { try put(SegmentTests.run([1]), new, as: name) }
    let exchange = homes.exchange(database)
    for _ in 0..<3 {
      let (report, error) = exchange.exchange()
      #expect(error == nil && report.refused.isEmpty && report.holes.isEmpty && report.foreign == 0)
      #expect(report.locked == ["x", "y", "z"])
      let note = report.notes.filter { $0.contains("key that this device does not have") }
      #expect(note.count == 1 && note[0].hasPrefix("3 files (x "))
    }
    #expect(exchange.isQuiet)
    try FileSystem.remove("\(homes.shared)/y")
    try FileSystem.remove("\(homes.shared)/z")
    #expect(exchange.exchange().report.notes.contains { $0.hasPrefix("The file x is sealed") })
    #expect(try files(below: homes.shared).contains("x"))
  }

  @Test func `a locked file that is cut is waited for like any other`() throws {
    let whole = try SealedSegment.seal(SegmentTests.run([1]), new, random: TestKeys.random)
    var index = FolderIndex(root: homes.shared)
    for count in [10, 64, 399, 400, whole.count - 1] {
      try write(Array(whole.prefix(count)), "\(homes.shared)/file")
      _ = try index.refresh(Epochs(current: old, known: [old]), now: 0)
      #expect(isIncomplete(index, "file"), "\(count) bytes")
    }
  }

  @Test func `a name is one of its epoch, its home and its content`() throws {
    let run = SegmentTests.run([1, 2])
    let longer = SegmentTests.run([1, 2, 3])
    func name(_ run: ChangeRun, _ home: UInt8, _ keys: EpochKeys) throws -> FolderName {
      FolderName.segment(
        try Segment.header(of: run, head: nil, space: TestKeys.space), of: Bytes16(repeatElement(home, count: 16)), keys
      )
    }
    let names = [
      try name(run, 1, old), try name(longer, 1, old), try name(run, 2, old), try name(run, 1, new),
      FolderName.acknowledgement(1, of: Bytes16(repeatElement(1, count: 16)), old),
      FolderName.acknowledgement(2, of: Bytes16(repeatElement(1, count: 16)), old),
    ]
    #expect(Set(names.map { String($0.description.suffix(36)) }).count == names.count)
    #expect(names.allSatisfy { $0.isOurs && $0.isIn(String($0.description.prefix(32))) })
    #expect(try name(run, 1, old) == names[0])
    for other in ["a/b.seg", "\(String(repeating: "g", count: 32)).seg", "\(names[0])x", "photo.jpg"] {
      #expect(!FolderName(other).isOurs)
    }
  }
}
