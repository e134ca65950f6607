package import OfflineTree

/// The replicas of one space, each with a home and a clock of its own, all driven by one seed.
package final class Fleet {
  package struct Member {
    package let name: String
    package let home: String
    package let clock: TestClock
    package var database: Database
  }

  package let folder: TemporaryFolder
  package let seed: UInt64
  package var random: SeededRandom
  package private(set) var members: [Member] = []
  /// By which all but the founder came.
  package let invite: Invite
  /// Makes a member an owner.
  package let recovery: RecoveryCode

  package static let options = Database.Options(durability: .unsafeNoSync)

  /// Sets with both kinds of keys, and flags for the votes in both.
  package static let sets = [("own", Genesis.AddOnlySet.Keys.own), ("open", .open)]
  package static let flags = [
    Genesis.Flag(counter: "own/*/votes", template: "users/$voter/votes/*"),
    Genesis.Flag(counter: "open/*/votes", template: "users/$voter/likes/*"),
  ]

  /// Devices that have met the founder's, so that all can write.
  package init(
    _ count: Int, seed: UInt64, addOnlySets: [Genesis.AddOnlySet]? = nil, flags: [Genesis.Flag]? = nil,
    membersMayInvite: Bool = false, now: Int64 = 1_000_000
  ) throws {
    folder = try TemporaryFolder()
    self.seed = seed
    random = SeededRandom(seed: seed)
    let sets = try addOnlySets ?? Fleet.sets.map { Genesis.AddOnlySet(path: try Path($0.0), keys: $0.1) }
    let clocks = (0..<max(1, count)).map { TestClock(now: now, seed: seed &* 1_000 &+ UInt64($0)) }
    recovery = RecoveryCode(environment: TestClock(seed: seed).environment)
    let founder = try Database.create(
      at: "\(folder.path)/d0", space: "test", addOnlySets: sets, flags: flags ?? Fleet.flags,
      membersMayInvite: membersMayInvite, recovery: recovery, deviceName: "d0", environment: clocks[0].environment,
      options: Fleet.options)
    invite = try founder.invite()
    members = [Member(name: "d0", home: "\(folder.path)/d0", clock: clocks[0], database: founder)]
    for clock in clocks.dropFirst() { try join(by: invite, clock) }
    for index in members.indices.dropFirst() { try send(from: 0, to: index) }
  }

  /// Adds a device that knows nothing yet.
  /// - Returns: Its index.
  @discardableResult
  package func join(by invite: Invite, _ clock: TestClock? = nil) throws -> Int {
    let clock = clock ?? TestClock(now: members[0].clock.now, seed: random.next())
    let name = "d\(members.count)"
    let home = "\(folder.path)/\(name)"
    let database = try Database.join(
      at: home, invite: invite, deviceName: name, environment: clock.environment, options: Fleet.options)
    members.append(Member(name: name, home: home, clock: clock, database: database))
    return members.count - 1
  }

  deinit {
    for member in members { member.database.close() }
  }

  package subscript(index: Int) -> Database { members[index].database }

  package func pick() -> Int { Int.random(in: members.indices, using: &random) }

  /// Two different members.
  package func pickPair() -> (Int, Int) {
    let first = pick()
    var second = Int.random(in: 0..<members.count - 1, using: &random)
    if second >= first { second += 1 }
    return (first, second)
  }

  /// Closes a home and opens it again.
  package func reopen(_ index: Int) throws {
    members[index].database.close()
    members[index].database = try Database.open(
      at: members[index].home, environment: members[index].clock.environment, options: Fleet.options)
  }

  package func close(_ index: Int) { members[index].database.close() }

  /// A copy of a member's home goes on as a member of its own. The home must be closed; both are open afterwards.
  package func clone(_ index: Int) throws {
    let original = members[index]
    original.database.close()
    let home = "\(folder.path)/\(original.name)-copy\(members.count)"
    try folder.copy(original.home, to: home)
    try reopen(index)
    let clock = TestClock(now: original.clock.now, seed: random.next())
    let database = try Database.open(at: home, environment: clock.environment, options: Fleet.options)
    members.append(Member(name: original.name, home: home, clock: clock, database: database))
  }

  package func backUp(_ index: Int) throws -> String {
    members[index].database.close()
    let copy = "\(folder.path)/backup\(random.next())"
    try folder.copy(members[index].home, to: copy)
    try reopen(index)
    return copy
  }

  /// Puts a member's home back to what a backup holds.
  /// - Parameter inPlace: Whether the files stay the same files, so that nothing but their contents tells.
  package func restore(_ index: Int, from backup: String, inPlace: Bool) throws {
    members[index].database.close()
    if inPlace {
      try folder.overwrite(members[index].home, with: backup)
    } else {
      try folder.copy(backup, to: members[index].home)
    }
    members[index].database = try Database.open(
      at: members[index].home, environment: members[index].clock.environment, options: Fleet.options)
  }
}
