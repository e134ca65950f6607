/// What is live: placed where it shows, and added up anew.
extension CheckpointLoader {
  /// A path of the tree.
  private func path(_ bytes: ArraySlice<UInt8>) throws(TreeError) -> PathKey {
    let path = try PathKey(encoded: Array(bytes))
    if path.isOfFiles { throw Self.damaged("a path of it is none") }
    return path
  }

  mutating func takeRivals(_ reader: inout ByteReader, _ rows: borrowing StoreTransaction) throws(TreeError) {
    let path = try path(try reader.prefixed("path", limit: PathKey.byteLimit))
    var writer = ByteWriter()
    while !reader.isAtEnd {
      try Stamp.decode(&reader).encode(to: &writer)
      try dot(&reader).encode(to: &writer)
    }
    try PathTable.rival.put(path.bytes, writer.bytes, in: rows)
  }

  mutating func takeOfRegister(
    _ kind: CheckpointRecord, _ reader: inout ByteReader, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    if kind == .register {
      let path = try path(reader.rest())
      if let last = register?.path, !(last < path) { throw Self.damaged("its paths are not in order") }
      try placeRegister(rows)
      register = OpenRegister(path: path)
      return
    }
    guard var open = register else { throw Self.damaged("what is live in it has no path") }
    switch kind {
    case .version:
      let stamp = try Stamp.decode(&reader)
      let version = Version(stamp: stamp, dot: try dot(&reader), value: try Scalar.decode(from: &reader))
      open.register.versions.append(version)
      state.hash.add(.version(open.path, version, log: state.logs[version.dot.log].id))
    case .part: try takePart(&reader, &open, rows)
    default: try takeVoter(&reader, &open, rows)
    }
    register = open
  }

  private mutating func takePart(
    _ reader: inout ByteReader, _ open: inout OpenRegister, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    guard !state.logs.isEmpty else { throw Self.damaged("it has no logs") }
    let log = try reader.count("log", limit: state.logs.count - 1)
    let part = try Part(decoding: Array(reader.rest()))
    guard part.count > 0, part.first <= part.last, part.last < state.logs[log].count else {
      throw Self.damaged("a part of a counter in it cannot be")
    }
    let (increments, overflow) = open.register.increments.addingReportingOverflow(part.count)
    if overflow { throw Self.damaged("a counter in it has too many increments") }
    open.register.increments = increments
    open.register.total += part.sum
    let counter = state.counterNumber(&open.register)
    state.hash.add(.part(open.path, part, log: state.logs[log].id))
    try rows.put(.part, RowKey.part(counter, log), part.encoded)
  }

  private mutating func takeVoter(
    _ reader: inout ByteReader, _ open: inout OpenRegister, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    let voter = try Key(utf8: try reader.prefixed("voter", limit: Limits.pathBytes))
    var ballots: [Ballot] = []
    while !reader.isAtEnd {
      let stamp = try Stamp.decode(&reader)
      let dot = try dot(&reader)
      let choice = try reader.zigzag("choice")
      guard (-1...1).contains(choice) else { throw Self.damaged("a vote in it is none") }
      ballots.append(Ballot(stamp: stamp, dot: dot, choice: Int8(choice)))
    }
    guard let winner = ballots.first else { throw Self.damaged("a voter in it has no vote") }
    for ballot in ballots {
      state.hash.add(.ballot(open.path, voter, ballot, log: state.logs[ballot.dot.log].id))
    }
    open.register.total.add(.int(Int64(winner.choice)))
    if winner.choice != 0 { open.register.ballots += 1 }
    open.register.voters += 1
    let counter = state.counterNumber(&open.register)
    try rows.put(.vote, RowKey.vote(counter, voter), VoteRow(voter: voter, ballots: ballots).encoded)
  }

  /// What was read of a register goes where it belongs; then its flags.
  mutating func placeRegister(_ rows: borrowing StoreTransaction) throws(TreeError) {
    guard let open = register else { return }
    register = nil
    guard !open.register.isEmpty else { throw Self.damaged("nothing is live at a path of it") }
    let found = Replica.FoundRegister(register: open.register, place: .nowhere)
    try state.place(open.path, found, &acting, rows)
    try state.reviewFlags(open.path, open.register, counted: false, &acting, rows)
    try state.settleIndexesIfMany(rows)
  }

  mutating func takePriority(_ reader: inout ByteReader, _ rows: borrowing StoreTransaction) throws(TreeError) {
    let path = try path(try reader.prefixed("path", limit: PathKey.byteLimit))
    let stamp = try Stamp.decode(&reader)
    let dot = try dot(&reader)
    let value = try reader.u8("priority") == 0 ? nil : try Scalar.decode(from: &reader)
    let item = PriorityItem(stamp: stamp, dot: dot, value: value)
    let before = try state.priorities(path, rows)
    try PathTable.priority.put(path.bytes, PriorityItem.encode(before + [item]), in: rows)
    state.hash.add(.priority(path, item, log: state.logs[dot.log].id))
  }

  mutating func takeFile(_ reader: inout ByteReader, _ rows: borrowing StoreTransaction) throws(TreeError) {
    let path = try PathKey(encoded: Array(try reader.prefixed("file's name", limit: PathKey.byteLimit)))
    guard path.isOfFiles, path != FileName.root else { throw Self.damaged("a file of it has no name") }
    let stamp = try Stamp.decode(&reader)
    let dot = try dot(&reader)
    let item = FileItem(stamp: stamp, dot: dot, content: try FileContent.decode(from: &reader))
    let before = try state.files(path, rows)
    // The first one shows.
    if let last = before.last, !state.isNewer(last, than: item) { throw Self.damaged("a file of it is out of order") }
    try PathTable.file.put(path.bytes, FileItem.encode(before + [item]), in: rows)
    state.hash.add(.file(path, item, log: state.logs[dot.log].id))
    try Replica.countFileChange(rows)
  }
}
