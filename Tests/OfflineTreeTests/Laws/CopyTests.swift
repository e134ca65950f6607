import OfflineTree
import TestSupport
import Testing

/// Law 4: no increment and no vote is lost or doubled, across crash, restore, clone and re-join.
@Suite struct CopyTests {
  private let path = PathKey("n").path

  /// Increments whose change some replica holds.
  private func increments(_ fleet: Fleet) throws -> Set<Bytes32> {
    var hashes: Set<Bytes32> = []
    for index in fleet.members.indices {
      for record in try Fleet.records(of: fleet[index]) {
        if record.change?.operations.contains(where: { $0.path == PathKey(path) }) == true {
          hashes.insert(record.hash)
        }
      }
    }
    return hashes
  }

  @Test(arguments: Seeds.scaled(60))
  func `what any replica holds of increments counts once, with homes restored and cloned`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let fleet = try Fleet(3, seed: seed)
    var backups: [Int: String] = [:]
    for _ in 0..<40 {
      let index = fleet.pick()
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<50: try fleet[index].write([.increment(path, .int(1))])
      case 50..<60: try fleet.writeRandomly(index)
      case 60..<85:
        let (from, to) = fleet.pickPair()
        try fleet.send(from: from, to: to, .random(&random))
      case 85..<90: backups[index] = try fleet.backUp(index)
      case 90..<95:
        if let backup = backups[index] { try fleet.restore(index, from: backup, inPlace: random.chance(50)) }
      case 95..<97: if fleet.members.count < 5 { try fleet.clone(index) }
      default: try fleet[index].leaveLog(isProven: true)
      }
    }
    try fleet.expectModel(fleet.pick(), "before the last meeting")
    // Nothing but the test takes increments away, unless a random write did.
    let held = try increments(fleet)
    try fleet.meetAll()
    #expect(try increments(fleet) == held, "seed \(seed)")
    try fleet.expectConverged()
  }

  @Test(arguments: [true, false])
  func `a home that was put back goes on without touching what it had sent`(inPlace: Bool) throws {
    let fleet = try Fleet(2, seed: 1)
    try fleet[1].write([.increment(path, .int(1))])
    let backup = try fleet.backUp(1)
    try fleet[1].write([.increment(path, .int(10))])
    try fleet.send(from: 1, to: 0)
    try fleet.restore(1, from: backup, inPlace: inPlace)
    try fleet[1].write([.increment(path, .int(100))])
    try fleet.meetAll()
    for index in 0..<2 {
      #expect(try fleet[index].read { try $0.scalar(at: path) } == .int(111))
    }
    try fleet.expectConverged()
  }

  @Test func `a cloned home and its original both count, and one voter on both is one vote`() throws {
    let fleet = try Fleet(2, seed: 2)
    let poll = PathKey("poll").path
    try fleet[1].write([.increment(path, .int(1)), .vote(poll, .of("u"), 1)])
    try fleet.clone(1)
    for index in [1, 2] {
      try fleet[index].write([.increment(path, .int(10)), .vote(poll, .of("u"), 1)])
    }
    try fleet.meetAll()
    #expect(try fleet[0].read { try $0.scalar(at: path) } == .int(21))
    #expect(try fleet[0].read { try $0.scalar(at: poll) } == .int(1))
    try fleet.expectConverged()
  }

  @Test func `a device that left its log goes on in a new one`() throws {
    let fleet = try Fleet(2, seed: 3)
    try fleet[1].write([.increment(path, .int(1))])
    let first = try fleet[1].ownPosition()
    try fleet[1].leaveLog(isProven: true)
    try fleet[1].write([.increment(path, .int(10))])
    let second = try fleet[1].ownPosition()
    #expect(first?.log != second?.log)
    try fleet.meetAll()
    #expect(try fleet[0].read { try $0.scalar(at: path) } == .int(11))
    try fleet.expectConverged()
  }
}
