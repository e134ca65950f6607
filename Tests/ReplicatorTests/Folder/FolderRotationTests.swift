import OfflineTree
import Testing

@testable import Replicator

/// The space's key changes while devices are away, and in two places at once.
@Suite struct FolderRotationTests {
  let (homes, founder, second): (TestHomes, Database, Database)

  init() throws { (homes, founder, second) = try TestHomes.two(("founder", "second")) }

  private func settle(_ databases: Database..., rounds: Int = 3) throws {
    for _ in 0..<rounds { for database in databases { try sync(database, homes.shared) } }
  }

  /// Three rotations, with a note by each of two devices in each of the four epochs.
  private func rotateThrice() throws -> [EpochID] {
    var epochs: [EpochID] = []
    for number in 0..<4 {
      if number > 0 { try founder.rotate() }
      epochs.append(try founder.epochs().current.id)
      for database in [founder, second] {
        try post("\(number)", on: database)
        try sync(database, homes.shared)
      }
    }
    return epochs
  }

  @Test func `a device that was away over three rotations opens one key after the other`() throws {
    let away = try homes.make("away")
    try post("offline", on: away)
    let epochs = try rotateThrice()
    #expect(Set(epochs).count == 4)
    #expect(try known(by: away).keys.elementsEqual([epochs[0]]))
    let report = try sync(away, homes.shared)
    #expect(report.locked.isEmpty && report.holes.isEmpty && report.refused.isEmpty && report.notes.isEmpty)
    #expect(try Set(known(by: away).keys) == Set(epochs) && noteCount(away) == 9)
    try settle(founder, second, away)
    try expectEqual([founder, second, away])
    #expect(try noteCount(founder) == 9, "what was written in the old epoch counts")
  }

  @Test func `a relay seals old changes in their own epochs, for those who were away`() throws {
    let away = try homes.make("away")
    let epochs = try rotateThrice()
    try sync(second, homes.shared)
    for name in try files(below: homes.shared) { try FileSystem.remove("\(homes.shared)/\(name)") }
    try sync(second, homes.shared)
    let log = try #require(try founder.ownPosition()).log
    var sealed: [EpochID: UInt64] = [:]
    for name in try segments(below: homes.shared) {
      let file = try bytes("\(homes.shared)/\(name)")
      let header = try header(file, founder)
      #expect(name.hasPrefix(hexadecimal(second.homeToken.bytes)))
      if header.log == log { sealed[try epoch(file)] = max(sealed[try epoch(file)] ?? 0, header.last) }
    }
    #expect(Set(sealed.keys) == Set(epochs))
    #expect(epochs.compactMap { sealed[$0] } == sealed.values.sorted(), "in the order of the log")
    let report = try sync(away, homes.shared)
    #expect(report.locked.isEmpty && report.holes.isEmpty)
    #expect(try noteCount(away) == 8)
  }

  @Test func `small files are merged within their epochs`() throws {
    let exchange = homes.exchange(founder)
    var epochs: [EpochID] = []
    for number in 0..<60 {
      if number % 20 == 10 { try founder.rotate() }
      try post("\(number)", on: founder)
      #expect(exchange.exchange().error == nil)
      epochs.append(try founder.epochs().current.id)
    }
    let files = try segments(ofLogOf: founder, below: homes.shared)
    #expect(files.count < 40)
    var ranges: [EpochID: [ClosedRange<UInt64>]] = [:]
    for file in files {
      let header = try header(file.bytes, founder)
      ranges[try epoch(file.bytes), default: []].append(header.first...header.last)
    }
    #expect(Set(ranges.keys) == Set(epochs) && ranges.count == 4)
    var next = UInt64(0)
    for epoch in [epochs[0], epochs[10], epochs[30], epochs[50]] {
      let own = try #require(ranges[epoch])
      // A rotation is the last change of the epoch before.
      #expect(own.map(\.lowerBound).min() == next)
      next = try #require(own.map(\.upperBound).max()) + 1
    }
    #expect(next == (try founder.ownPosition()).map { $0.seq + 1 })
    try sync(second, homes.shared)
    try expectEqual([founder, second])
    #expect(exchange.exchange().report.sent == 0)
  }

  @Test func `rotations by two owners who did not know of each other shut out both whom they removed`() throws {
    let (third, left, right) = (try homes.make("third"), try homes.make("left"), try homes.make("right"))
    try founder.grant(.owner, to: second.deviceKey)
    try post("before", on: founder)
    try settle(founder, second, third, left, right)
    try expectEqual([founder, second, third, left, right])
    let (one, two) = (try homes.folder("one"), try homes.folder("two"))
    let old = try founder.epochs().current.id
    try founder.removeMembers([left.deviceKey])
    try second.removeMembers([right.deviceKey])
    let parts = [try founder.epochs().current.id, try second.epochs().current.id]
    try post("by the first", on: founder)
    try post("by the second", on: second)
    try sync(founder, one)
    try sync(second, two)
    // Each removed device can read what the other's remover wrote, until the two have met.
    try sync(left, two)
    try sync(right, one)
    #expect(try noteCount(left) == 2 && noteCount(right) == 2)
    // A member who has met both, and may not rotate, seals with what neither of the removed can work out.
    for folder in [one, two] { try sync(third, folder) }
    try post("by the third", on: third)
    let mixed = try third.epochs().current.id
    #expect(!(parts + [old]).contains(mixed))
    try settle(third, second, founder)
    try post("after", on: founder)
    try settle(founder, second, third)
    try expectEqual([founder, second, third])
    #expect(try noteCount(third) == 5)
    let final = try Set([founder, second, third].map { try $0.epochs().current.id })
    #expect(final.count == 1 && !final.contains(mixed) && final.isDisjoint(with: parts))
    for (removed, count) in [(left, 3), (right, 3)] {
      for folder in [homes.shared, one, two] { #expect(homes.exchange(removed, with: folder).exchange().error == nil) }
      #expect(try Set(known(by: removed).keys).isSubset(of: Set(parts + [old])))
      #expect(try known(by: removed).count == 2)
      #expect(try noteCount(removed) <= count)
    }
    #expect(try !files(below: homes.shared, sealedIn: [mixed]).isEmpty)
    #expect(try !files(below: homes.shared, sealedIn: final).isEmpty)
  }
}
