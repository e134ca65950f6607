import OfflineTree
import TestSupport
import Testing

/// Who can open what: epochs, as changes carry them.
@Suite struct RotationTests {
  private let n = PathKey("n").path

  private func write(_ fleet: Fleet, _ index: Int) throws {
    try fleet[index].write { try $0.increment(self.n, by: .int(1)) }
  }

  /// A space of so many devices that have met, the second an owner too.
  private func fleet(_ count: Int, seed: UInt64) throws -> Fleet {
    let fleet = try Fleet(count, seed: seed)
    try fleet.meetAll()
    try fleet[0].grant(.owner, to: fleet[1].deviceKey)
    try fleet.meetAll()
    return fleet
  }

  private func current(_ fleet: Fleet, _ index: Int) throws -> EpochID { try fleet[index].epochs().current.id }

  private func knows(_ fleet: Fleet, _ index: Int, _ epoch: EpochID) throws -> Bool {
    try fleet[index].epochs()[epoch] != nil
  }

  @Test func `a removed device learns no later key, whatever it gets to see`() throws {
    let fleet = try fleet(4, seed: 1)
    let before = try current(fleet, 0)
    try fleet[0].removeMembers([fleet[3].deviceKey])
    let first = try current(fleet, 0)
    try fleet[1].removeMembers([fleet[2].deviceKey])
    try fleet.send(from: 0, to: 1)
    try fleet[1].rotate()
    try fleet.meetAll()
    var later = [first, try current(fleet, 0), try current(fleet, 1)]
    for _ in 0..<2 {
      try fleet[0].rotate()
      later.append(try current(fleet, 0))
    }
    try fleet.meetAll()
    _ = try fleet[3].learnKeys(from: try Fleet.runs(of: fleet[0]), wanted: Set(later))
    #expect(try fleet[3].epochs().known.allSatisfy { !later.contains($0.id) })
    #expect(try knows(fleet, 3, before))
    for index in [0, 1] { #expect(try later.allSatisfy { try knows(fleet, index, $0) }, "\(index)") }
    #expect(try knows(fleet, 0, before))
  }

  @Test func `rotations that do not know of each other make one key, which each removed device lacks a part of`() throws
  {
    let fleet = try fleet(5, seed: 2)
    try fleet[0].removeMembers([fleet[3].deviceKey])
    try fleet[1].removeMembers([fleet[4].deviceKey])
    let parts = [try current(fleet, 0), try current(fleet, 1)]
    for owner in [0, 1] { try fleet.send(from: owner, to: 2) }
    let mixed = try current(fleet, 2)
    #expect(!parts.contains(mixed))
    for (removed, lacks, has) in [(3, parts[0], parts[1]), (4, parts[1], parts[0])] {
      _ = try fleet[removed].learnKeys(from: try Fleet.runs(of: fleet[2]), wanted: Set(parts + [mixed]))
      #expect(try !knows(fleet, removed, lacks))
      #expect(try knows(fleet, removed, has))
      #expect(try !knows(fleet, removed, mixed))
    }
    // What is written in between is sealed under the mixed key; the next rotation follows both.
    try write(fleet, 2)
    let last = try #require(try Fleet.runs(of: fleet[2]).last { $0.epoch == mixed })
    #expect(try last.records().contains { !($0.change?.operations.isEmpty ?? true) })
    try fleet.meetAll()
    for owner in [0, 1] {
      fleet.members[owner].clock.advance(by: 120_000)
      try fleet[owner].upkeep()
    }
    let merged = try current(fleet, 0)
    #expect(![parts[0], parts[1], mixed].contains(merged))
    try fleet.meetAll()
    for index in [1, 2] {
      #expect(try current(fleet, index) == merged)
      #expect(try knows(fleet, index, mixed))
    }
    for removed in [3, 4] {
      _ = try fleet[removed].learnKeys(from: try Fleet.runs(of: fleet[0]), wanted: Set(parts + [mixed, merged]))
      #expect(try fleet[removed].epochs().known.allSatisfy { ![mixed, merged].contains($0.id) })
    }
    try fleet.expectConverged()
  }

  @Test func `a newcomer who came while the key was changed gets it from who invited it`() throws {
    let fleet = try fleet(3, seed: 3)
    let invite = try fleet[1].invite()
    try fleet.meetAll()
    let late = try fleet.join(by: invite)
    try fleet.send(from: 1, to: late)
    try fleet[0].rotate()
    try fleet.send(from: late, to: 1)
    try fleet.send(from: 0, to: 1)
    let epoch = try current(fleet, 0)
    #expect(try !knows(fleet, late, epoch))
    try fleet[1].upkeep()
    // What delivers the key can be read with the key of the invite.
    var sealed = SealedDelivery(try Fleet.runs(of: fleet[1]))
    try sealed.deliver(to: fleet[late])
    #expect(sealed.locked.isEmpty)
    #expect(try current(fleet, late) == epoch)
    #expect(try fleet[late].clock() == fleet[1].clock())
    try fleet[1].upkeep()
    try fleet.meetAll()
    try fleet.expectConverged()
  }

  @Test func `a device that was away over three rotations opens everything`() throws {
    let fleet = try fleet(4, seed: 4)
    for round in 0..<3 {
      if round == 1 { try fleet[0].removeMembers([fleet[3].deviceKey]) } else { try fleet[round % 2].rotate() }
      try write(fleet, 0)
      try fleet.send(from: 0, to: 1)
      try write(fleet, 1)
      try fleet.send(from: 1, to: 0)
    }
    let runs = try Fleet.runs(of: fleet[0])
    #expect(Set(runs.map(\.epoch)).count == 4)
    var sealed = SealedDelivery(runs)
    try sealed.deliver(to: fleet[2])
    #expect(sealed.locked.isEmpty)
    #expect(try fleet[2].clock() == fleet[0].clock())
    #expect(try current(fleet, 2) == current(fleet, 0))
    // It opens the newest alone, too, and finds the older keys in it.
    let newest = try #require(runs.last { $0.epoch != runs[0].epoch })
    #expect(try knows(fleet, 2, newest.epoch ?? .zero))
    // The removed device stops before the first change that was sealed without it.
    var stopped = SealedDelivery(runs)
    try stopped.deliver(to: fleet[3])
    #expect(Set(stopped.locked.compactMap(\.epoch)).count == 2)
    #expect(try fleet[3].value(at: "n") == .int(2))
    #expect(try fleet[0].value(at: "n") == .int(6))
    try fleet.send(from: 2, to: 0)
    try fleet.expectEqual(0, 2)
  }

  @Test func `a newcomer opens what was before it, with the key of its invite alone`() throws {
    let fleet = try fleet(3, seed: 5)
    try write(fleet, 1)
    for index in [0, 1, 0] {
      try fleet[index].rotate()
      try write(fleet, index)
      try fleet.meetAll()
    }
    let invite = try fleet[0].invite()
    let late = try fleet.join(by: invite)
    #expect(try fleet[late].epochs().known.map(\.id) == [try current(fleet, 0)])
    var sealed = SealedDelivery(try Fleet.runs(of: fleet[0]))
    try sealed.deliver(to: fleet[late])
    #expect(sealed.locked.isEmpty)
    #expect(try fleet[late].value(at: "n") == .int(4))
    try write(fleet, late)
    try fleet.meetAll()
    try fleet.expectConverged()
  }

  @Test func `members and readers change no key`() throws {
    let fleet = try fleet(3, seed: 6)
    #expect {
      try fleet[2].rotate()
    } throws: { error in (error as? TreeError)?.code == .refused }
  }
}

/// Runs as they come in sealed files: only those count whose epoch's key the device has.
struct SealedDelivery {
  private(set) var locked: [ChangeRun]

  init(_ runs: [ChangeRun]) { locked = runs }

  /// Gives the device what it can open, until that is nothing more.
  mutating func deliver(to database: Database) throws {
    var isMoving = true
    while isMoving {
      let epochs = try database.epochs()
      let open = locked.filter { $0.epoch.map { epochs[$0] != nil } ?? true }
      locked.removeAll { run in open.contains { $0.log == run.log && $0.first == run.first && $0.head == run.head } }
      isMoving = !open.isEmpty
      let reception = try database.receive(open, keepBlocked: true)
      #expect(reception.refused.isEmpty)
      if try database.learnKeys(from: open, wanted: Set(locked.compactMap(\.epoch))) { isMoving = true }
    }
  }
}
