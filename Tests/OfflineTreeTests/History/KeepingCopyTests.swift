import OfflineTree
import TestSupport
import Testing

/// Two homes of one device that do not agree on whether it keeps all history.
@Suite struct KeepingCopyTests {
  private let fleet: Fleet

  private var original: Database { fleet[0] }
  private var copy: Database { fleet[2] }

  init() throws {
    fleet = try Fleet(2, seed: 41)
    try fleet.clone(0)
    for home in [original, copy] {
      try home.write { try $0.increment(Path("counter"), by: .int(1)) }
    }
    try fleet.meetAll()
  }

  /// All meet, and do what is due, until nothing comes of it.
  private func settle() throws {
    var written: UInt64?
    for _ in 0..<8 {
      try fleet.meetAll()
      for member in fleet.members.indices { try fleet[member].upkeep() }
      let now = try original.history().changes + copy.history().changes
      if now == written { return }
      written = now
    }
    Issue.record("they go on saying the opposite of each other")
  }

  private func isKeeper() throws -> Bool { try fleet[1].keepers().contains(original.deviceKey) }

  @Test func `they come to an end, and the device does not count as a keeper`() throws {
    try copy.setHistoryRetention(.little)
    try settle()
    #expect(try !isKeeper())
    #expect(try original.historyRetention() == .all)
  }

  @Test func `who asks again to keep all is not heard while the other home drops`() throws {
    try copy.setHistoryRetention(.little)
    try settle()
    try original.setHistoryRetention(.all)
    try settle()
    #expect(try !isKeeper())
  }

  @Test func `once both keep all, the device is a keeper again`() throws {
    try copy.setHistoryRetention(.little)
    try settle()
    try copy.setHistoryRetention(.all)
    try settle()
    #expect(try isKeeper())
  }

  @Test func `a home whose copy is gone says anew that it keeps all`() throws {
    try copy.setHistoryRetention(.little)
    try settle()
    copy.close()
    try original.setHistoryRetention(.all)
    try original.upkeep()
    try fleet.send(from: 0, to: 1)
    #expect(try isKeeper())
  }
}
