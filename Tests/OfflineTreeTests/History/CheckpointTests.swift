import OfflineTree
import TestSupport
import Testing

/// Equal clocks give equal checkpoints, and who begins with one has what who replays has.
@Suite struct CheckpointTests {
  /// Members that write, drop, are copied and put back, until all have met.
  private func fleet(seed: UInt64) throws -> (fleet: Fleet, block: UInt64) {
    var random = SeededRandom(seed: seed)
    let fleet = try Fleet(Int.random(in: 3...4, using: &random), seed: seed)
    let block = random.pick([1, 2, 4, 1_024] as [UInt64])
    try fleet[0].setHistoryBlock(block)
    for index in fleet.members.indices.dropFirst() { try fleet[index].keepLittle(block: block) }
    var backups: [Int: String] = [:]
    for _ in 0..<Int.random(in: 20...45, using: &random) {
      let index = fleet.pick()
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<50: try write(index, of: fleet)
      case 50..<70:
        let (from, to) = fleet.pickPair()
        try fleet.send(from: from, to: to, .random(&fleet.random))
        if random.chance(50) { try fleet[to].fetch(from: fleet[0]) }
      case 70..<85: try fleet[index].drop(keepers: [fleet[0]])
      case 85..<90:
        if let log = try fleet.othersLogs(index).randomElement(using: &random) { try fleet[0].end(log: log) }
      case 90..<92: backups[index] = try fleet.backUp(index)
      case 92..<94:
        if index > 0, let backup = backups[index] { try fleet.restore(index, from: backup, inPlace: random.chance(50)) }
      case 94..<96: if index > 0, fleet.members.count < 6 { try fleet.clone(index) }
      default: if index > 0 { try fork(index, of: fleet) }
      }
    }
    try fleet.settle(keeper: 0)
    return (fleet, block)
  }

  /// A write that needs what its device dropped is refused until that is fetched.
  private func write(_ index: Int, of fleet: Fleet) throws {
    for _ in 0..<20 {
      do {
        try fleet.writeRandomly(index)
        return
      } catch let error as TreeError where !error.missing.isEmpty {
        try fleet[index].fetch(from: fleet[0])
      }
    }
    Issue.record("what a write needs never came")
  }

  /// A member is put back to what it was before others heard of its last changes, and nothing tells it so.
  private func fork(_ index: Int, of fleet: Fleet) throws {
    let backup = try fleet.backUp(index)
    for _ in 0..<2 { try write(index, of: fleet) }
    try fleet.send(from: index, to: 0)
    try fleet.restore(index, from: backup, inPlace: true)
    for _ in 0..<2 { try write(index, of: fleet) }
  }

  @Test(arguments: Seeds.scaled(100))
  func `equal clocks give the same bytes, whatever was dropped and however it came`(seed: UInt64) throws {
    let fleet = try fleet(seed: seed).fleet
    let keeper = try fleet[0].checkpoint()
    for index in fleet.members.indices where try fleet[index].clock() == fleet[0].clock() {
      #expect(try fleet[index].checkpoint() == keeper, "seed \(seed), member \(index)")
      try fleet[index].drop(keepers: [fleet[0]])
      #expect(try fleet[index].checkpoint() == keeper, "seed \(seed), member \(index) after it dropped")
      try fleet.reopen(index)
      #expect(try fleet[index].checkpoint() == keeper, "seed \(seed), member \(index) opened again")
    }
  }

  @Test func `random histories have forks, ends and what is dropped in them`() throws {
    var (forks, dropped, voids, equal) = (0, 0, 0, 0)
    for seed in UInt64(0)..<30 {
      let fleet = try fleet(seed: seed).fleet
      let logs = try fleet[0].clock().positions.map(\.log)
      if Set(logs).count < logs.count { forks += 1 }
      for index in fleet.members.indices.dropFirst() {
        if try fleet[index].clock() == fleet[0].clock() { equal += 1 }
        try fleet[index].drop(keepers: [fleet[0]])
        if try fleet[index].history().droppedChanges > 0 { dropped += 1 }
      }
      if try fleet[0].read({ try $0.status().voidCount }) > 0 { voids += 1 }
    }
    #expect(forks > 3, "\(forks)")
    #expect(dropped > 20, "\(dropped)")
    #expect(voids > 3, "\(voids)")
    #expect(equal > 40, "\(equal)")
  }

  @Test(arguments: Seeds.scaled(100))
  func `who begins with a checkpoint goes on as who replayed`(seed: UInt64) throws {
    let (fleet, block) = try fleet(seed: seed)
    let bundle = try fleet[0].attest()
    #expect(try CheckpointBundle(decoding: bundle.encoded) == bundle)
    #expect(try fleet[0].keptCheckpoint() == bundle.encoded)
    let (late, replaying) = (try fleet.join(by: fleet.invite), try fleet.join(by: fleet.invite))
    for index in [late, replaying] { try fleet[index].keepLittle(block: block) }
    try fleet[late].begin(with: bundle, floors: [])
    #expect(try fleet[late].verify().isSound)
    for _ in 0..<3 {
      for index in [late, replaying] {
        try fleet.send(from: 0, to: index)
        try fleet.send(from: index, to: 0)
      }
    }
    try fleet.expectEqual(late, 0)
    try fleet.expectEqual(late, replaying)
    // All go on, and what needs history that it never had is fetched.
    for _ in 0..<12 {
      try write(fleet.pick(), of: fleet)
      let (from, to) = fleet.pickPair()
      try fleet.send(from: from, to: to)
      try fleet[to].fetch(from: fleet[0])
    }
    try fleet.settle(keeper: 0)
    try fleet.expectEqual(late, 0)
    let clock = try fleet[0].clock()
    if try fleet[late].clock() == clock { #expect(try fleet[late].checkpoint() == fleet[0].checkpoint()) }
  }

  @Test(arguments: Seeds.scaled(30))
  func `who began with a checkpoint can become a keeper from which others replay`(seed: UInt64) throws {
    let (fleet, block) = try fleet(seed: seed)
    let bundle = try fleet[0].attest()
    let late = try fleet.join(by: fleet.invite)
    try fleet[late].setHistoryBlock(block)
    try fleet[late].begin(with: bundle, floors: [])
    try fleet.send(from: 0, to: late)
    try fleet[late].setHistoryRetention(.all)
    try fleet[late].fetch(from: fleet[0])
    #expect(try fleet[late].history().droppedChanges == 0)
    let newcomer = try fleet.join(by: fleet.invite)
    try fleet.send(from: late, to: newcomer)
    try fleet.expectEqual(newcomer, late)
  }

  @Test func `a fork at the first change leaves the same behind in every order`() throws {
    let fleet = try Fleet(3, seed: 3)
    for index in fleet.members.indices { try fleet[index].setHistoryBlock(2) }
    let backup = try fleet.backUp(1)
    for index in [0, 2] {
      fleet.members[1].clock.now += 100_000
      try fleet[1].write { try $0.increment(Path("branch"), by: .int(1)) }
      // Each of the two hears of another branch first.
      try fleet.send(from: 1, to: index)
      if index == 0 { try fleet.restore(1, from: backup, inPlace: true) }
    }
    try fleet.send(from: 0, to: 2)
    try fleet.send(from: 2, to: 0)
    #expect(try fleet[0].clock() == fleet[2].clock())
    let branches = try fleet[0].read { try $0.logs() }.filter { $0.deviceKey == fleet[1].deviceKey }
    #expect(Set(branches.map(\.introduced)).count == 1 && branches.count > 1)
    #expect(try fleet[0].checkpoint() == fleet[2].checkpoint())
  }

  @Test func `what the keepers have beyond the checkpoint makes nothing of it wanted`() throws {
    let fleet = try Fleet(3, seed: 11)
    for index in fleet.members.indices { try fleet[index].setHistoryBlock(2) }
    func live(_ rounds: Int) throws {
      for _ in 0..<rounds {
        for index in fleet.members.indices { try fleet[index].write { try $0.increment(Path("n"), by: .int(1)) } }
        try fleet.meetAll()
      }
    }
    func floors() throws -> [LogPosition] { try fleet[0].clock().positions }
    try live(6)
    let early = try floors()
    try live(6)
    let bundle = try fleet[0].attest()
    try live(3)
    let (late, wary) = (try fleet.join(by: fleet.invite), try fleet.join(by: fleet.invite))
    for index in [late, wary] { try fleet[index].keepLittle(block: 2) }
    try fleet[late].begin(with: bundle, floors: floors())
    #expect(try fleet[late].history().droppedChanges > 20)
    #expect(try fleet[late].wantedHistory(limit: 1).isEmpty)
    // Of what not all of them have the bytes are wanted, and of no more.
    try fleet[wary].begin(with: bundle, floors: early)
    let wanted = try fleet[wary].wantedHistory(limit: 1_000)
    let known = Dictionary(uniqueKeysWithValues: early.map { ($0.log, $0.seq) })
    #expect(wanted.count >= 6 && wanted.allSatisfy { gap in known[gap.log].map { gap.last > $0 } ?? true })
  }

  @Test func `a block that is too large for a gap comes in pieces`() throws {
    let fleet = try Fleet(2, seed: 5)
    for index in fleet.members.indices { try fleet[index].setHistoryBlock(8) }
    for number in 0..<8 {
      let text = String(repeating: "\(number % 10)", count: 9 << 20)
      try fleet[1].write { try $0.setValue(Value.string(text), at: Path("large")) }
    }
    for _ in 0..<12 { try fleet[1].write { try $0.increment(Path("n"), by: .int(1)) } }
    try fleet.meetAll()
    let bundle = try fleet[0].attest()
    #expect(bundle.checkpoint.byteCount > 60 << 20)
    #expect(try fleet[1].history().droppedChanges == 0)
    let late = try fleet.join(by: fleet.invite)
    try fleet[late].setHistoryBlock(8)
    try fleet[late].begin(with: bundle, floors: [])
    #expect(try fleet[late].history().droppedChanges >= 8)
    #expect(try fleet[late].verify().isSound)
    for _ in 0..<2 {
      try fleet.send(from: 0, to: late)
      try fleet.send(from: late, to: 0)
    }
    #expect(try fleet[late].clock() == fleet[0].clock())
    try fleet.expectEqual(0, late)
    #expect(try fleet[late].checkpoint() == fleet[0].checkpoint())
  }
}

extension Fleet {
  /// Logs of devices other than the founder's, as they were introduced.
  func othersLogs(_ index: Int) throws -> [LogID] {
    try self[index].read { try $0.logs() }.filter { $0.deviceKey != self[0].deviceKey }.map(\.introduced)
  }
}
