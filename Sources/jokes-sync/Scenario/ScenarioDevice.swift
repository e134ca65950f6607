internal import OfflineTree
internal import Replicator

/// One device of a scenario: a home of its own, and a clock that is set.
final class ScenarioDevice {
  private(set) var database: Database
  private let clock: SetClock
  private static let options = Database.Options(durability: .unsafeNoSync)

  init(home: String, founding scenario: Scenario) throws(TreeError) {
    clock = SetClock()
    database = try Database.create(
      at: home, space: "scenario", addOnlySets: scenario.addOnlySets, flags: scenario.flags, recovery: RecoveryCode(),
      deviceName: "device", environment: clock.environment, options: ScenarioDevice.options)
    database.allowsVoidWrites = true
  }

  /// - Parameter logRandom: From the device's key to the random bytes in the id of its log.
  init(home: String, joiningBy invite: Invite, logRandom: (Bytes32) -> Bytes16) throws(TreeError) {
    clock = SetClock()
    database = try Database.join(
      at: home, invite: invite, deviceName: "device", logRandom: logRandom, environment: clock.environment,
      options: ScenarioDevice.options)
    database.allowsVoidWrites = true
  }

  /// Closes the storage and opens it again, as a new process would.
  func reopen() throws(TreeError) {
    let home = database.home
    database.close()
    database = try Database.open(at: home, environment: clock.environment, options: ScenarioDevice.options)
    // Here an ended device goes on writing, as one with a changed program could.
    database.allowsVoidWrites = true
  }

  func close() { database.close() }

  /// - Returns: False if the write was refused.
  func write(_ operations: [Scenario.Operation], at time: Int64) throws -> Bool {
    clock.set(time)
    do {
      try database.write { transaction in
        for operation in operations { try operation.perform(in: transaction) }
      }
      return true
    } catch let error as TreeError where error.code == .refused {
      return false
    }
  }

  func end(_ log: LogID, at time: Int64) throws {
    clock.set(time)
    try database.end(log: log)
  }

  /// What the merge model prints of a device.
  /// - Parameter logs: What each log is called, and how many changes it had before the first step, the introduction aside.
  func outcome(logs: [LogID: (name: String, before: UInt64)]) throws -> Document {
    try database.read { transaction in
      let conflicts = try transaction.conflicts().map { conflict in
        Document.Member(conflict.path.description, .array(conflict.entries.compactMap(\.document)))
      }
      let clock = try transaction.clock().positions.compactMap { position -> Document.Member? in
        let (name, before) = logs[position.log] ?? ("unknown", 0)
        return position.seq <= before ? nil : Document.Member(name, .int(Int64(position.seq - before)))
      }
      return .object([
        .init("tree", Document(try transaction.value(at: .root))),
        .init("conflicts", .object(conflicts)),
        .init("clock", .object(clock)),
      ])
    }
  }
}

/// A wall clock that a scenario sets.
private final class SetClock: Sendable {
  private let time = Monitor<Int64>(0)

  func set(_ milliseconds: Int64) { time.withLock { $0 = milliseconds } }

  var environment: Environment {
    var environment = Environment.system
    environment.wallClock = { self.time.withLock { $0 } }
    return environment
  }
}

extension Scenario.Operation {
  fileprivate func perform(in transaction: WriteTransaction) throws {
    switch self {
    case .set(let path, let value): try transaction.setValue(try value.value(), at: try Path(path))
    case .remove(let path): try transaction.removeValue(at: try Path(path))
    case .increment(let path, let number): try transaction.increment(try Path(path), by: number)
    case .vote(let path, let voter, let choice):
      try transaction.vote(try Path(path), voter: try Key(voter), choice: choice)
    }
  }
}

extension Conflict.Entry {
  /// The model has no priorities.
  fileprivate var document: Document? {
    switch content {
    case .version(let value): Document(Value(value))
    case .sum(let sum): .object([.init("sum", Document(Value(sum)))])
    case .priority: nil
    }
  }
}
