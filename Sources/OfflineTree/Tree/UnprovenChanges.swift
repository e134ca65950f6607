/// Changes that stand in a damaged file and of which nothing proves whose they are: for people's eyes, never applied.
struct UnprovenChanges: Sendable {
  struct Item: Sendable {
    /// As a row says; nil where none does.
    let log: LogID?
    let seq: UInt64
    let body: ArraySlice<UInt8>
  }

  private(set) var changes: [Item] = []
  /// For which there was no room: anybody may have filled pages with more.
  private(set) var leftOut = 0
  /// How many were found in rows of which nothing says whose they are.
  private(set) var found = 0
  private var room = Limits.waitingBytesPerLog
  private var seen: Set<Bytes32> = []

  /// - Parameters:
  ///   - known: Changes that are not among them.
  ///   - unsigned: Those of logs that are known, all of which are kept.
  init(besides known: [ChangeRun] = [], _ unsigned: [ChangeRun] = []) {
    for body in known.flatMap(\.bodies) { seen.insert(Sodium.hash32(Array(body))) }
    for run in unsigned {
      for (offset, body) in run.bodies.enumerated() {
        seen.insert(Sodium.hash32(Array(body)))
        changes.append(Item(log: run.log, seq: run.first + UInt64(offset), body: body))
      }
    }
  }

  /// Adds what stands in rows of changes; what the newest head leads to comes first.
  ///
  /// - Parameter isNobodys: By a log's index: does nothing say whose it is?
  mutating func add(_ rows: SalvagedRows, isNobodys: (Int) -> Bool) {
    for isLive in [true, false] {
      for row in rows.runs where row.isLive == isLive && isNobodys(row.run.log) {
        for (offset, body) in row.run.bodies.enumerated() { add(body, nil, row.run.first + UInt64(offset)) }
      }
    }
  }

  /// Adds what waited for others.
  mutating func addWaiting(of rows: SalvagedRows) {
    for (key, value) in rows.waiting.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      guard let run = try? Replica.waitingChange(key, value.value) else { continue }
      for (offset, body) in run.bodies.enumerated() { add(body, run.log, run.first + UInt64(offset)) }
    }
  }

  private mutating func add(_ body: ArraySlice<UInt8>, _ log: LogID?, _ seq: UInt64) {
    // A device is introduced by no person.
    guard case .change(let change, _)? = try? Change.decode(body), change.introduction == nil,
      seen.insert(Sodium.hash32(Array(body))).inserted
    else { return }
    found += 1
    guard body.count <= room else {
      leftOut += 1
      return
    }
    room -= body.count
    changes.append(Item(log: log, seq: seq, body: body))
  }
}
