package import OfflineTree

extension Fleet {
  /// How changes travel: cut how, how often.
  package struct Manner: Sendable {
    /// Bytes asked for at a time.
    package var bytes = 1 << 16
    package var cutsRuns = false
    package var shuffles = false
    package var repeats = false

    package init() {}

    package static func random(_ random: inout SeededRandom) -> Manner {
      var manner = Manner()
      manner.bytes = random.pick([1, 100, 400, 1 << 16])
      manner.cutsRuns = random.chance(50)
      manner.shuffles = random.chance(30)
      manner.repeats = random.chance(30)
      return manner
    }
  }

  /// Gives one member everything that another has.
  @discardableResult
  package func send(from: Int, to: Int, _ manner: Manner = Manner()) throws -> Reception {
    try Fleet.send(from: self[from], to: self[to], manner, &random)
  }

  @discardableResult
  package static func send(
    from: Database, to: Database, _ manner: Manner, _ random: inout SeededRandom
  ) throws -> Reception {
    var outgoing = try from.outgoing(to: try to.clock())
    for log in try unknownLogs(of: to, at: from) {
      let common = try from.samples(of: log).last { try to.hasChange($0) }
      try outgoing.restart(log: log, common: common, from: from)
    }
    var total = Reception()
    while true {
      var runs = try outgoing.next(maximumBytes: manner.bytes, from: from)
      if runs.isEmpty { break }
      if manner.cutsRuns { runs = try runs.flatMap { try cut($0, &random) } }
      if manner.shuffles { runs.shuffle(using: &random) }
      if manner.repeats { runs += runs.filter { _ in random.chance(40) } }
      let reception = try to.receive(runs, keepBlocked: true)
      guard reception.refused.isEmpty else {
        throw Scenario.Failure("refused: \(reception.refused.map(\.error.description))")
      }
      total.applied += reception.applied
      total.duplicates += reception.duplicates
      total.forked += reception.forked
    }
    return total
  }

  /// Logs of which the receiver has a tip that the sender does not know: one is ahead, or they have parted.
  private static func unknownLogs(of receiver: Database, at sender: Database) throws -> Set<LogID> {
    let known = Set(try sender.clock().positions.map(\.log))
    return Set(
      try receiver.clock().positions.filter { position in
        try known.contains(position.log) && !sender.hasChange(position)
      }.map(\.log))
  }

  private static func cut(_ run: ChangeRun, _ random: inout SeededRandom) throws -> [ChangeRun] {
    var pieces: [ChangeRun] = []
    var open: [Record] = []
    func close() {
      guard let first = open.first else { return }
      pieces.append(
        ChangeRun(log: run.log, first: first.seq, hashBefore: first.previous, bodies: open.map { $0.body[...] }))
      open = []
    }
    for record in try run.records() {
      open.append(record)
      if random.chance(40) { close() }
    }
    close()
    return pieces
  }

  /// Everybody gets everything: twice around, or more often where changes wait in one home for those in another.
  package func meetAll(_ manner: Manner = Manner(), rounds: Int = 2) throws {
    for _ in 0..<rounds {
      for index in members.indices.dropFirst() {
        try send(from: index, to: 0, manner)
        try send(from: 0, to: index, manner)
      }
      let clock = try self[0].clock()
      if try members.allSatisfy({ try $0.database.clock() == clock }) { return }
    }
  }

  /// Every change that a member has.
  package static func records(of database: Database) throws -> [Record] {
    var outgoing = try database.outgoing(to: VectorClock([]))
    var records: [Record] = []
    while true {
      let runs = try outgoing.next(maximumBytes: 1 << 20, from: database)
      if runs.isEmpty { return records }
      for run in runs { records += try run.records() }
    }
  }
}
