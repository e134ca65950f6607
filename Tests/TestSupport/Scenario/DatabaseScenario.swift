package import OfflineTree

/// Runs a scenario on real databases.
package final class DatabaseScenario {
  package typealias Exchange = (_ from: Database, _ to: Database, inout SeededRandom) throws -> Void

  private let scenario: Scenario
  private let folder: TemporaryFolder
  private var random: SeededRandom
  /// In the order in which the scenario lists the devices, which is the order of their logs.
  private var databases: [Database] = []
  private var clocks: [TestClock] = []
  private var homes: [String] = []
  private var logs: [LogID] = []
  private let exchange: Exchange?

  /// - Parameter exchange: Gives `to` everything that `from` has; without one they exchange runs in random manners.
  package init(_ scenario: Scenario, seed: UInt64 = 0, exchange: Exchange? = nil) throws {
    self.scenario = scenario
    self.exchange = exchange
    folder = try TemporaryFolder()
    random = SeededRandom(seed: seed)
    try makeDevices()
  }

  deinit {
    for database in databases { database.close() }
  }

  private struct Made {
    let log: LogID
    let database: Database
    let clock: TestClock
    let home: String
  }

  /// All introductions stand in every device before the first step, and the logs sort as the devices are listed: the
  /// founder's first.
  private func makeDevices() throws {
    let founder = try found()
    let invite = try founder.database.invite()
    var made = [founder]
    for index in scenario.devices.indices.dropFirst() { made.append(try join(index, invite, founder)) }
    for joined in made.dropFirst() {
      try Fleet.send(from: founder.database, to: joined.database, Fleet.Manner(), &random)
    }
    made.sort { $0.log < $1.log }
    logs = made.map(\.log)
    databases = made.map(\.database)
    clocks = made.map(\.clock)
    homes = made.map(\.home)
  }

  private func found() throws -> Made {
    let clock = TestClock(now: 0, seed: random.next())
    let home = "\(folder.path)/0"
    let database = try Database.create(
      at: home, space: scenario.devices.joined(), addOnlySets: scenario.addOnlySets, flags: scenario.flags,
      recovery: RecoveryCode(environment: clock.environment), deviceName: scenario.devices[0],
      environment: clock.environment, options: Fleet.options)
    let log = try database.clock().positions[0].log
    return Made(log: log, database: database, clock: clock, home: home)
  }

  private func join(_ index: Int, _ invite: Invite, _ founder: Made) throws -> Made {
    let clock = TestClock(now: 0, seed: random.next())
    let home = "\(folder.path)/\(index)"
    var log = LogID.zero
    let database = try Database.join(
      at: home, invite: invite, deviceName: scenario.devices[index],
      logRandom: { key in
        while true {
          let drawn = Bytes16(clock.bytes(16))
          log = Introduction.logID(space: invite.spaceID, deviceKey: key, random: drawn)
          if founder.log < log { return drawn }
        }
      }, environment: clock.environment, options: Fleet.options)
    try Fleet.send(from: founder.database, to: database, Fleet.Manner(), &random)
    try Fleet.send(from: database, to: founder.database, Fleet.Manner(), &random)
    return Made(log: log, database: database, clock: clock, home: home)
  }

  /// What each device shows at the end, in the form of `expect`.
  package func outcome() throws -> JSON {
    for (number, step) in scenario.steps.enumerated() {
      switch step {
      case .write(let device, let time, let writes, let isRefused):
        clocks[device].now = time
        // Who was ended goes on all the same, in changes that are void.
        databases[device].allowsVoidWrites = true
        let isWritten = try databases[device].write(try writes.map { try $0.action() })
        if isWritten == isRefused {
          throw Scenario.Failure("step \(number) of \(scenario.name) should\(isRefused ? "" : " not") be refused")
        }
      case .end(let device, let time, let subject):
        clocks[device].now = time
        try databases[device].end(log: logs[subject])
      case .exchange(let from, let to):
        if let exchange {
          try exchange(databases[from], databases[to], &random)
        } else {
          try Fleet.send(
            from: databases[from], to: databases[to], .random(&random), &random, signers: databases)
        }
      }
      if random.chance(10) { try reopen(Int.random(in: databases.indices, using: &random)) }
    }
    return .object(
      try scenario.devices.enumerated().map { index, name in
        (key: name, value: try outcome(of: databases[index]))
      })
  }

  private func reopen(_ index: Int) throws {
    databases[index].close()
    databases[index] = try Database.open(
      at: homes[index], environment: clocks[index].environment, options: Fleet.options)
  }

  private func outcome(of database: Database) throws -> JSON {
    let (tree, conflicts) = try database.read { transaction in
      let conflicts = try transaction.conflicts().map { conflict in
        (key: conflict.path.description, value: JSON.array(conflict.entries.map { JSON($0.content) }))
      }
      return (JSON(try transaction.value(at: .root)), JSON.object(conflicts))
    }
    return scenario.outcome(tree: tree, conflicts: conflicts, clock: try database.clock(), logs: logs)
  }
}

extension Scenario.Write {
  func action() throws -> Action {
    switch self {
    case .set(let path, let value): .set(path, try value.newValue())
    case .remove(let path): .remove(path)
    case .increment(let path, let number): .increment(path, number)
    case .vote(let path, let voter, let choice): .vote(path, voter, choice)
    }
  }
}
