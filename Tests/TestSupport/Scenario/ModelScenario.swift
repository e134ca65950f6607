package import OfflineTree

extension Scenario {
  /// Runs the scenario on the model's own devices.
  /// - Returns: What each device shows, in the form of `expect`.
  package func outcomeByModel(seed: UInt64 = 0) throws -> JSON {
    let space = try ModelSpace(
      devices: devices, addOnlySets: addOnlySets, flags: flags, foundedByFirst: true, seed: seed)
    var fleet = space.logs.map { ModelDevice($0, knowing: space.introductions) }
    for (number, step) in steps.enumerated() {
      switch step {
      case .write(let device, let at, let writes, let isRefused):
        let record = try fleet[device].write(at: at, writes)
        if (record == nil) != isRefused {
          throw Failure("step \(number) of \(name) should\(isRefused ? "" : " not") be refused")
        }
      case .end(let device, let at, let subject):
        try fleet[device].control([.end(.log(space.logs[subject].id))], at: at)
      case .exchange(let from, let to):
        fleet[to].learn(fleet[from].known)
      }
    }
    return .object(
      try devices.enumerated().map { index, name in
        let history = try fleet[index].history()
        let tree = try ModelTree(history)
        return (
          key: name,
          value: outcome(
            tree: JSON(tree.value()), conflicts: tree.conflictDocument(), clock: history.clock,
            logs: space.logs.map(\.id))
        )
      })
  }

  /// One device's outcome. Clocks count what the steps wrote: what the founder, the first device, wrote before them is two
  /// changes, what the others wrote one.
  package func outcome(tree: JSON, conflicts: JSON, clock: VectorClock, logs: [LogID]) -> JSON {
    var entries: [(key: String, value: JSON)] = []
    for (index, log) in logs.enumerated() {
      guard let position = clock.positions.first(where: { $0.log == log }) else { continue }
      let count = Int64(position.seq) - (index == 0 ? 1 : 0)
      if count > 0 { entries.append((devices[index], .scalar(.int(count)))) }
    }
    return .object([("tree", tree), ("conflicts", conflicts), ("clock", .object(entries))])
  }
}

extension ModelTree {
  /// The conflicts in the format of scenarios; that format has no priorities.
  package func conflictDocument() -> JSON {
    .object(
      conflicts().map { path, entries in
        (key: path.description, value: .array(entries.map { JSON($0.content) }))
      })
  }
}

extension JSON {
  package init(_ conflict: Conflict.Entry.Content) {
    self =
      switch conflict {
      case .version(let value): .scalar(value)
      case .sum(let value): .object([("sum", .scalar(value))])
      case .priority(let value): .object([("priority", JSON(value))])
      }
  }
}
