import OfflineTree
import Replicator
import TestSupport

extension World {
  /// Some device, at some moment: it shows what the model says of the changes that it has, and devices with equal clocks
  /// are equal.
  func checkMidway(_ device: SimulatedDevice) throws {
    if try isWhole(device) { try checkModel(device) }
    let clock = try device.database.clock()
    for other in devices where other !== device {
      if try other.database.clock() == clock { try checkEqual(device, other) }
    }
  }

  /// After all have met.
  func checkAtRest() throws {
    let members = try participants()
    for device in members.dropFirst() { try checkEqual(members[0], device) }
    for device in members {
      let status = try device.database.read { try $0.status() }
      // A liar may have seen what an expelled device wrote, and nobody else has.
      let mayWait = ledger.waitsForEver || !liars.isEmpty && !ledger.expelled.isEmpty
      if status.waitingCount > 0, !mayWait {
        throw Violation(
          law: "at rest nothing waits", details: "\(device.name) holds back \(status.waitingCount) changes")
      }
    }
    if let whole = try members.first(where: isWhole) {
      try checkModel(whole)
    } else if !ledger.isPutBack {
      throw Violation(law: "somebody keeps all history", details: "every device has dropped some")
    }
    for device in members { try checkWhole(device) }
    try checkLedger(members[0])
    try checkForks(members[0])
    for device in devices { try checkWatcher(device) }
  }

  func checkEqual(_ left: SimulatedDevice, _ right: SimulatedDevice) throws {
    let pair = "\(left.name) and \(right.name)"
    let (one, other) = (try Shown(left.database, priorities: []), try Shown(right.database, priorities: []))
    if one != other { throw Violation(law: "equal clocks show the same", details: "\(pair):\n\(one)\n\(other)") }
    if try left.database.stateHash() != right.database.stateHash() {
      throw Violation(law: "equal clocks have one state hash", details: pair)
    }
  }

  func checkModel(_ device: SimulatedDevice) throws {
    let records = try Fleet.records(of: device.database)
    let history = try History(space: device.database.spaceID, records)
    let paths = ModelTree.priorityPaths(records)
    let model = Shown(try ModelTree(history), priorities: paths)
    let shown = try Shown(device.database, priorities: paths)
    if shown != model {
      throw Violation(
        law: "what shows is what the changes say", details: "\(device.name) shows\n\(shown)\nnot\n\(model)")
    }
    let clock = try device.database.clock()
    if clock != history.clock {
      let (said, there) = (clock.positions, history.clock.positions)
      throw Violation(
        law: "the clock names what is there", details: "\(device.name) says \(said), and hands out \(there)")
    }
  }

  private func checkWhole(_ device: SimulatedDevice) throws {
    let problems = try device.database.verify().problems
    if !problems.isEmpty { throw Violation(law: "every row is right", details: "\(device.name): \(problems)") }
  }

  /// Nobody writes a number of a log twice who could know that he has written it.
  private func checkForks(_ device: SimulatedDevice) throws {
    let status = try device.database.read { try $0.status() }
    for log in status.logs where log.isBranch {
      let person = devices.first { $0.database.deviceKey == log.deviceKey }?.person
      if let person, !ledger.forking.contains(person) {
        throw Violation(
          law: "no honest device writes a number twice",
          details:
            "a log of \(person) has forked: \(status.logs.map { "\($0.introduced.description.prefix(6)) \($0.count) \($0.isBranch)" })"
        )
      }
    }
  }

  /// At each step: what is on its way stays within its bound.
  func checkBounds() throws {
    for link in links {
      for end in link.ends {
        if let overflow = end.overflow { throw Violation(law: "what is on its way is bounded", details: overflow) }
      }
    }
  }

  func tally() throws -> Simulator.Tally {
    let status = try devices[0].database.read { try $0.status() }
    return Simulator.Tally(
      answers: ledger.answers.count, droppedChanges: ledger.droppedChanges, forks: status.forks.count,
      voids: status.voidCount)
  }

  private func checkWatcher(_ device: SimulatedDevice) throws {
    guard let watcher = device.watcher else { return }
    let value = try device.database.read { try $0.value(at: .root) }
    for _ in 0..<2_000 {
      if watcher.last == value { return }
      FileSystem.pause(milliseconds: 1)
    }
    throw Violation(
      law: "who watches hears of the last value",
      details:
        "\(device.name) shows \(JSON(value)), and was told \(watcher.last.map { JSON($0).description } ?? "nothing")")
  }
}
