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
  private let exchange: Exchange

  /// - Parameter exchange: Gives `to` everything that `from` has.
  package init(_ scenario: Scenario, seed: UInt64 = 0, exchange: @escaping Exchange) throws {
    self.scenario = scenario
    self.exchange = exchange
    folder = try TemporaryFolder()
    random = SeededRandom(seed: seed)
    try makeDevices()
  }

  deinit {
    for database in databases { database.close() }
  }

  /// All introductions stand in every device before the first step, and the logs sort as the devices are listed.
  private func makeDevices() throws {
    var made: [(log: LogID, database: Database, clock: TestClock, home: String)] = []
    for (index, name) in scenario.devices.enumerated() {
      let clock = TestClock(now: 0, seed: random.next())
      let home = "\(folder.path)/\(index)"
      if index == 0 {
        let founder = try Database.create(
          at: home, space: scenario.devices.joined(), addOnlySets: scenario.addOnlySets, flags: scenario.flags,
          deviceName: name, environment: clock.environment, options: Fleet.options)
        let log = try founder.clock().positions[0].log
        made.append((log, founder, clock, home))
        continue
      }
      let founder = made[0].database
      let database = try Database.join(
        at: home, space: founder.spaceID, deviceName: name, environment: clock.environment, options: Fleet.options)
      let genesis = try Fleet.records(of: founder)[0]
      _ = try database.receive([genesis.run], keepBlocked: true)
      let log = Bytes16(random.bytes(16))
      try database.introduce(random: log)
      let id = Introduction.logID(space: founder.spaceID, deviceKey: database.deviceKey, random: log)
      made.append((id, database, clock, home))
    }
    for from in made {
      for to in made where from.log != to.log {
        _ = try to.database.receive(try Fleet.records(of: from.database).map(\.run), keepBlocked: true)
      }
    }
    made.sort { $0.log < $1.log }
    logs = made.map(\.log)
    databases = made.map(\.database)
    clocks = made.map(\.clock)
    homes = made.map(\.home)
  }

  /// What each device shows at the end, in the form of `expect`.
  package func outcome() throws -> JSON {
    for (number, step) in scenario.steps.enumerated() {
      switch step {
      case .write(let device, let time, let writes, let isRefused):
        clocks[device].now = time
        let isWritten = try databases[device].write(try writes.map { try $0.action() })
        if isWritten == isRefused {
          throw Scenario.Failure("step \(number) of \(scenario.name) should\(isRefused ? "" : " not") be refused")
        }
      case .exchange(let from, let to):
        try exchange(databases[from], databases[to], &random)
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
