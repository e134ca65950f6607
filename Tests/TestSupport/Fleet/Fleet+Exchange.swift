package import OfflineTree

extension Fleet {
  /// How changes travel: cut how, how often.
  package struct Manner: Sendable {
    /// Bytes asked for at a time.
    package var bytes = 1 << 16
    /// Cuts runs anywhere, where a device is at hand that signs what was cut.
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
    try Fleet.send(from: self[from], to: self[to], manner, &random, signers: members.map(\.database))
  }

  /// - Parameter signers: Databases whose devices sign where runs are cut.
  @discardableResult
  package static func send(
    from: Database, to: Database, _ manner: Manner, _ random: inout SeededRandom, signers: [Database] = []
  ) throws -> Reception {
    let signer = manner.cutsRuns ? try HeadSigner(signers, logsOf: from) : nil
    var outgoing = try from.outgoing(to: try to.clock())
    for log in try unknownLogs(of: to, at: from) {
      let common = try from.samples(of: log).last { try to.hasChange($0) }
      try outgoing.restart(log: log, common: common, from: from)
    }
    var total = Reception()
    while true {
      var runs = try outgoing.next(maximumBytes: manner.bytes, from: from)
      if runs.isEmpty { break }
      if let signer { runs = try runs.flatMap { try cut($0, signer, &random) } }
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

  private static func cut(
    _ run: ChangeRun, _ signer: HeadSigner, _ random: inout SeededRandom
  ) throws -> [ChangeRun] {
    var pieces: [ChangeRun] = []
    var open: [Record] = []
    for record in try run.records() {
      open.append(record)
      guard random.chance(40), let signed = signer.signed(record) else { continue }
      open[open.count - 1] = signed
      pieces += ChangeRun(open).map { [$0] } ?? []
      open = []
    }
    return pieces + (ChangeRun(open).map { [$0] } ?? [])
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
    try runs(of: database).flatMap { try $0.records() }
  }

  /// Everything that a member has, as it is handed out.
  package static func runs(of database: Database) throws -> [ChangeRun] {
    var outgoing = try database.outgoing(to: VectorClock([]))
    var all: [ChangeRun] = []
    while true {
      let runs = try outgoing.next(maximumBytes: 1 << 20, from: database)
      if runs.isEmpty { return all }
      all += runs
    }
  }

  /// Every change that a member has, each signed by its device, so that it can come alone.
  package func signedRecords(of index: Int) throws -> [Record] {
    let signer = try HeadSigner(members.map(\.database), logsOf: self[index])
    return try Fleet.records(of: self[index]).map { signer.signed($0) ?? $0 }
  }
}

/// Signs changes of any place in the logs of devices that are at hand; a database itself signs only where it stops.
private struct HeadSigner {
  private var databases: [Bytes32: Database] = [:]
  private var devices: [LogID: Bytes32] = [:]

  /// - Parameter database: One that knows whose the logs are.
  init(_ signers: [Database], logsOf database: Database) throws {
    for signer in signers { databases[signer.deviceKey] = signer }
    for log in try database.read({ try $0.logs() }) { devices[log.introduced] = log.deviceKey }
  }

  func signed(_ record: Record) -> Record? {
    guard let device = devices[record.log], let database = databases[device] else { return nil }
    return record.signed { head in
      database.sign(.head, record.log.bytes + littleEndian(record.seq) + head.bytes)
    }
  }

  private func littleEndian(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
