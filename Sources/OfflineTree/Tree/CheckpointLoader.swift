/// Takes a checkpoint in, in a home that has nothing of its space yet: inside one write, of which nothing stays if it fails.
///
/// The bytes are those that its hash names, but whoever made them may have lied in any way: every number is held against
/// what it points at before it is used.
struct CheckpointLoader {
  /// A register that is being read.
  struct OpenRegister {
    let path: PathKey
    var register = Register()
  }

  var state: Replica
  private var kind = CheckpointRecord.header
  private var stateHash = Bytes16.zero
  private var clockDigest = Bytes32.zero
  /// Of the parent of each log, by rank.
  private var parents: [Int?] = []
  /// The log of which the records tell, and the number, and the hash if it is known, behind the last change that came.
  private(set) var log: Int?
  private var next: UInt64 = 0
  private var hash: Bytes32?
  private var controls: [Dot] = []
  var register: OpenRegister?
  var acting = Acting(dot: Dot(log: 0, seq: 0), stamp: .zero, context: Context())

  init(_ state: Replica) { self.state = state }

  /// - Throws: `.damaged`, `.unsupportedVersion`, or `.refused` in a home that has something of the space.
  mutating func load(_ checkpoint: Checkpoint, _ rows: borrowing StoreTransaction) throws(TreeError) {
    guard state.logs.isEmpty, state.genesis == nil else {
      throw TreeError(.refused, "this home has begun already", advice: "It goes on with what it has")
    }
    var reader = try CheckpointReader(checkpoint)
    while let (kind, body) = try reader.record() {
      guard self.kind != .end, isNext(kind) else { throw Self.damaged("its records are not in order") }
      self.kind = kind
      var bytes = ByteReader(body)
      try take(kind, &bytes, body, rows)
      try bytes.finish("record of a checkpoint")
    }
    guard kind == .end, state.clock.digest == clockDigest, clockDigest == checkpoint.clockDigest else {
      throw Self.damaged("it does not lead to its clock")
    }
    try finish(rows)
  }

  /// Records of a log's history come in turn with those of the next one's.
  private func isNext(_ next: CheckpointRecord) -> Bool {
    switch (kind, next) {
    case (.header, .header): log == nil && state.genesis == nil && clockDigest == .zero
    case (.gap, .bodies), (.bodies, .gap): true
    case (_, .history) where kind.rawValue <= CheckpointRecord.void.rawValue: true
    case (.version, .register), (.part, .register), (.voter, .register): true
    case (.file, .end): true
    case (.end, .file): false
    default: next.rawValue >= kind.rawValue
    }
  }

  private mutating func take(
    _ kind: CheckpointRecord, _ reader: inout ByteReader, _ body: [UInt8], _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    // What names changes comes once all logs and their changes are known.
    if kind.rawValue > CheckpointRecord.void.rawValue { try endHistory() }
    switch kind {
    case .header: try takeHeader(&reader)
    case .genesis: try takeGenesis(&reader, rows)
    case .log: try takeLog(&reader)
    case .history: try beginHistory(&reader)
    case .gap: try takeGap(&reader, rows)
    case .bodies: try takeBodies(&reader, rows)
    case .context: try takeContext(&reader, rows)
    case .void: try takeVoid(&reader, rows)
    case .control: controls.append(try dot(&reader))
    case .frontier:
      let dot = try dot(&reader)
      state.frontier[dot.log] = dot.seq
    case .rival: try takeRivals(&reader, rows)
    case .register, .version, .part, .voter: try takeOfRegister(kind, &reader, rows)
    case .priority:
      try placeRegister(rows)
      try takePriority(&reader, rows)
    case .file:
      try placeRegister(rows)
      try takeFile(&reader, rows)
    case .end: try placeRegister(rows)
    }
  }

  static func damaged(_ problem: String) -> TreeError {
    TreeError(.damaged, "a checkpoint cannot be taken: \(problem)")
  }

  private mutating func takeHeader(_ reader: inout ByteReader) throws(TreeError) {
    let header = try Self.header(&reader, state)
    (stateHash, clockDigest) = (header.stateHash, header.clockDigest)
  }

  private mutating func takeGenesis(_ reader: inout ByteReader, _ rows: borrowing StoreTransaction) throws(TreeError) {
    guard state.genesis == nil else { throw Self.damaged("it has two beginnings") }
    let genesis = try Self.genesis(&reader, state)
    try rows.put(.meta, Replica.MetaKey.genesis, genesis.encoded)
    try state.adopt(genesis)
  }

  private mutating func takeLog(_ reader: inout ByteReader) throws(TreeError) {
    let (introduced, id) = (try reader.bytes16("log"), try reader.bytes16("log"))
    let parent = try reader.count("parent log", limit: Limits.logsPerSpace)
    let (first, count) = (try reader.varint("first number"), try reader.varint("count"))
    let head = try reader.bytes32("head")
    let hasCeiling = try reader.u8("ceiling") == 1
    let ceiling = try Stamp.decode(&reader)
    let device = try reader.bytes32("device")
    let wallTime = try reader.zigzag("wall time")
    guard state.genesis != nil, state.logs.count < Limits.logsPerSpace, state.logs.last.map({ $0.id < id }) ?? true,
      first <= count, count < Limits.changesPerLog
    else { throw Self.damaged("a log of it cannot be") }
    var entry = LogEntry(introduced: introduced, id: id, parent: nil, first: first, head: head)
    (entry.count, entry.ceiling, entry.wallTime) = (count, hasCeiling ? ceiling : nil, wallTime)
    let index = state.addLog(entry)
    state.setDevice(of: index, to: device)
    parents.append(parent == 0 ? nil : parent - 1)
  }

  /// Once all logs are known: which branched from which.
  private mutating func connectLogs() throws(TreeError) {
    for (index, parent) in parents.enumerated() {
      guard let parent else {
        guard state.logs[index].first == 0 else { throw Self.damaged("a branch of it has no log") }
        continue
      }
      guard parent != index, parent < state.logs.count,
        state.logs[parent].introduced == state.logs[index].introduced,
        state.logs[index].first == state.logs[parent].count
      else { throw Self.damaged("a branch of it is not where it branched off") }
      state.logs[index].parent = parent
    }
    for index in parents.indices {
      var (above, steps) = (parents[index], 0)
      while let parent = above {
        steps += 1
        guard steps <= parents.count else { throw Self.damaged("its branches go in a ring") }
        above = parents[parent]
      }
    }
  }

  private mutating func beginHistory(_ reader: inout ByteReader) throws(TreeError) {
    let rank = try reader.varint("log")
    guard rank == UInt64((log ?? -1) + 1), rank < UInt64(state.logs.count) else {
      throw Self.damaged("its logs are not in order")
    }
    if log == nil { try connectLogs() } else { try endLog() }
    log = Int(rank)
    next = state.logs[Int(rank)].first
    hash = nil
  }

  private func endLog() throws(TreeError) {
    guard let log, next == state.logs[log].count else { throw Self.damaged("changes of a log are missing") }
    if let hash, hash != state.logs[log].head { throw Self.damaged("a log of it does not lead to its head") }
  }

  /// The last log's history is over.
  private mutating func endHistory() throws(TreeError) {
    if log == state.logs.count { return }
    guard let last = log, last == state.logs.count - 1 else { throw Self.damaged("logs of it have no history") }
    try endLog()
    log = state.logs.count
  }

  // MARK: History

  private func openLog() throws(TreeError) -> Int {
    guard let log, log < state.logs.count else { throw Self.damaged("history of it is of no log") }
    return log
  }

  private mutating func takeGap(_ reader: inout ByteReader, _ rows: borrowing StoreTransaction) throws(TreeError) {
    let log = try openLog()
    let row = Array(reader.rest())
    // Before anything else in the row is read.
    guard StoredRun.gapCount(of: row).map({ UInt64($0) == state.block }) == true, next.isMultiple(of: state.block),
      state.block <= state.logs[log].count - next
    else { throw Self.damaged("a block of it cannot be") }
    let run = try StoredRun(key: RowKey.of(log, next), row: row)
    if let hash, hash != run.hashBefore { throw Self.damaged("a block of it does not follow what is before it") }
    try rows.put(.run, RowKey.of(log, next), row)
    state.logs[log].dropped.insert(next..<run.next)
    state.hasGaps = true
    (next, hash) = (run.next, nil)
  }

  private mutating func takeBodies(_ reader: inout ByteReader, _ rows: borrowing StoreTransaction) throws(TreeError) {
    let log = try openLog()
    let before = try reader.bytes32("hash before")
    if let hash, hash != before { throw Self.damaged("changes of it do not follow each other") }
    let count = try reader.count("changes", limit: reader.remaining)
    var run = OpenRun(log: log, first: next, hashBefore: before)
    var hash = before
    for _ in 0..<count {
      let body = try reader.prefixed("change", limit: Limits.changeBytes)
      hash = Change.hash(log: state.logs[log].introduced, seq: run.next, previous: hash, body: body)
      run.append(body)
      if run.bytes.count >= OpenRun.closingBytes {
        try rows.put(.run, RowKey.of(log, run.first), run.row)
        run = OpenRun(log: log, first: run.next, hashBefore: hash)
      }
    }
    guard count > 0, run.next <= state.logs[log].count else { throw Self.damaged("a log of it has too many changes") }
    if !run.ends.isEmpty { try rows.put(.run, RowKey.of(log, run.first), run.row) }
    (next, self.hash) = (run.next, hash)
  }

  private func takeContext(_ reader: inout ByteReader, _ rows: borrowing StoreTransaction) throws(TreeError) {
    let log = try openLog()
    let seq = try reader.varint("number")
    var context = Context()
    while !reader.isAtEnd {
      let index = try reader.count("log", limit: state.logs.count - 1)
      let count = try reader.varint("count")
      guard count <= state.logs[index].count else { throw Self.damaged("a change of it had seen what is not there") }
      context.raise(index, to: count)
    }
    try require(log, seq)
    try rows.put(.context, RowKey.of(log, seq), Replica.encode(context))
  }

  private func takeVoid(_ reader: inout ByteReader, _ rows: borrowing StoreTransaction) throws(TreeError) {
    let log = try openLog()
    let seq = try reader.varint("number")
    try require(log, seq)
    let hasCeiling = try reader.u8("ceiling") == 1
    let ceiling = try Stamp.decode(&reader)
    let row = VoidRow(ceiling: hasCeiling ? ceiling : nil, reason: "it was void when this device joined")
    try rows.put(.void, RowKey.of(log, seq), row.encoded)
  }

  private func require(_ log: Int, _ seq: UInt64) throws(TreeError) {
    guard seq >= state.logs[log].first, seq < state.logs[log].count else {
      throw Self.damaged("it names a change that is not there")
    }
  }

  func dot(_ reader: inout ByteReader) throws(TreeError) -> Dot {
    guard !state.logs.isEmpty else { throw Self.damaged("it has no logs") }
    let log = try reader.count("log", limit: state.logs.count - 1)
    let dot = Dot(log: log, seq: try reader.varint("number"))
    try require(dot.log, dot.seq)
    return dot
  }

  // MARK: The end

  private mutating func finish(_ rows: borrowing StoreTransaction) throws(TreeError) {
    for index in state.logs.indices where !state.logs[index].isEmpty {
      state.logs[index].context = try Replica.storedContext(of: Dot(log: index, seq: state.logs[index].count - 1), rows)
    }
    try orderControls(rows)
    state.authority = Authority()
    try state.loadAuthority(rows)
    state.authorityVersion += 1
    for index in state.logs.indices {
      state.logs[index].deviceName = state.authority.name(of: state.logs[index].device)
    }
    state.findStrangers()
    state.metaChanged = true
    state.mustRetryWaiting = !state.waiting.isEmpty
    state.touched.insertEverything()
    try state.storeCounters(rows)
    guard state.hash.digest == stateHash else { throw Self.damaged("what is live in it is not what it says") }
  }

  /// Stamps are above those of all that their changes had seen: by them the order is a causal one.
  private func orderControls(_ rows: borrowing StoreTransaction) throws(TreeError) {
    var opened = OpenedRuns()
    var stamped: [(stamp: Stamp, dot: Dot)] = []
    for dot in controls {
      guard let body = try opened.run(dot.log, holding: dot.seq, rows)?.body(of: dot.seq),
        case .change(let change, _) = try Change.decode(body),
        change.introduction != nil || !change.controls.isEmpty
      else { throw Self.damaged("an act of authority is missing") }
      stamped.append((change.stamp, dot))
    }
    stamped.sort { ($0.stamp, $0.dot.log, $0.dot.seq) < ($1.stamp, $1.dot.log, $1.dot.seq) }
    for (number, entry) in stamped.enumerated() {
      try rows.put(.control, RowKey.commit(UInt64(number)), RowKey.of(entry.dot.log, entry.dot.seq))
    }
  }
}
