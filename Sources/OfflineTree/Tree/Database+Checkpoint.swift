/// Making, vouching for and beginning with a checkpoint.
extension Database {
  /// The state at this moment's clock, in bytes that every replica with that clock would make.
  ///
  /// - Complexity: O(history that is kept + live state).
  /// - Throws: `.limitExceeded` if it is too large for one, `.unavailable` while nothing of the space is here.
  package func checkpoint() throws(TreeError) -> Checkpoint {
    try viewForOthers { rows, replica in try replica.checkpoint(rows) }
  }

  /// Makes a checkpoint, vouches for it in a change, and keeps it in the home for newcomers.
  ///
  /// - Throws: `.refused` on another device than the founder's, whose word alone a newcomer can check.
  @discardableResult
  package func attest() throws -> CheckpointBundle {
    guard try view({ _, replica in replica.genesis?.founder == replica.device && !replica.isBarred }) else {
      throw TreeError(.refused, "only the device that made the space vouches for a checkpoint")
    }
    let (checkpoint, own, heads) = try viewForOthers { rows, replica in
      (try replica.checkpoint(rows), replica.writtenPosition, try replica.signedHeads(rows))
    }
    let bundle = CheckpointBundle(checkpoint: checkpoint, proof: try vouch(for: checkpoint, behind: own), heads: heads)
    try FileSystem.writeFileDurably(checkpointPath, bundle.encoded, mode: 0o600)
    return bundle
  }

  /// Writes that this device vouches for a checkpoint.
  ///
  /// - Parameter own: The last change of this device's log in the checkpoint.
  /// - Returns: What this device wrote since, signed.
  package func vouch(for checkpoint: Checkpoint, behind own: LogPosition?) throws -> ChangeRun {
    let written = try control(checkpoint.attestation)
    guard let own, own.log == written.log,
      var proof = try run(endingAt: written, from: own.seq + 1, maximumBytes: .max), proof.hashBefore == own.hash,
      proof.byteCount <= CheckpointBundle.proofBytes
    else {
      throw TreeError(.unavailable, "other changes came between a checkpoint and its attestation", advice: "Try again")
    }
    proof.signature = sign(head: written)
    return proof
  }

  /// The checkpoint that newcomers get, if there is one.
  package func keptCheckpoint() throws(TreeError) -> [UInt8]? {
    guard try keptCheckpointFile() != nil else { return nil }
    do throws(TreeError) {
      return try FileSystem.readFile(checkpointPath, maximumBytes: CheckpointBundle.maximumBytes)
    } catch {
      if error.code == .notFound { return nil }
      throw error
    }
  }

  /// The same for one newcomer, sharing memory with what others hold of it.
  ///
  /// - Returns: Nil also while as many newcomers as may hold it.
  package func borrowCheckpoint() throws(TreeError) -> BorrowedCheckpoint? {
    try checkpointShelf.borrow(checkpointPath) { () throws(TreeError) in try keptCheckpoint() }
  }

  var checkpointPath: String { "\(home)/checkpoint" }

  private func sign(head: LogPosition) -> Signature {
    keys.sign(ChangeRun.signedHead(log: head.log, seq: head.seq, head: head.hash, space: spaceID))
  }

  /// Begins with a checkpoint, in a home that has nothing of its space yet: all of it, or nothing is changed.
  ///
  /// - Throws: `.damaged`, `.limitExceeded` or `.unsupportedVersion`; `.refused` if nobody vouches for it whose word
  ///   counts, or in a home that has begun.
  ///
  /// - Parameter floors: Up to where every keeper is known to have each log: of dropped changes beyond the bytes are wanted.
  package func begin(with bundle: CheckpointBundle, floors: [LogPosition]) throws(TreeError) {
    try submit { rows, state in
      let begun = try CheckpointLoader.take(bundle, in: state, rows)
      try begun.noteNeeds(above: floors, rows)
      state = begun
      try state.flush(rows)
    }
    // What had come before waits no longer for what is here now; and this device can introduce itself.
    _ = try receive([], keepBlocked: true)
  }
}

extension Database {
  /// Up to where every keeper is known to have each log or branch: what the others of them said, and what is here if this
  /// device is one. A lone keeper's own changes may be in its home alone.
  package func floors(keepers clocks: [KeeperClock]) throws(TreeError) -> [LogPosition] {
    try view { rows, replica in
      let safe = try replica.safe(with: clocks, rows)
      var floors: [LogPosition] = []
      for (index, log) in replica.logs.enumerated() where safe.count(index) > log.first {
        let last = safe.count(index) - 1
        guard let hash = try replica.knownHash(of: Dot(log: index, seq: last), rows) else { continue }
        floors.append(LogPosition(log: log.introduced, seq: last, hash: hash))
      }
      return floors
    }
  }

  /// Wants of dropped changes, after a beginning with a checkpoint, only those that not every keeper is known to have.
  package func want(beyond clocks: [KeeperClock]) throws(TreeError) {
    try submit { rows, state in
      let known = try state.safe(with: clocks, rows)
      var safe = Context()
      // Of a log with branches a number does not say which is meant.
      for (index, log) in state.logs.enumerated() where state.indices[log.introduced]?.count == 1 {
        safe.raise(index, to: known.count(index))
      }
      try state.noteNeeds(beyond: safe, rows)
    }
  }
}

extension Replica {
  /// How many changes of each log or branch every keeper is known to have.
  func safe(with clocks: [KeeperClock], _ rows: borrowing StoreTransaction) throws(TreeError) -> Context {
    let devices = Set(authority.keepers)
    let others = clocks.filter { devices.contains($0.device) }
    let known = Set(others.map(\.device)).union([device])
    guard !devices.isEmpty, devices.isSubset(of: known) else { return Context() }
    let held = try others.map { keeper throws(TreeError) in try past(of: keeper.clock, rows) }
    let isHere = devices.contains(device)
    var safe = Context()
    for (index, log) in logs.enumerated() where !log.isEmpty {
      if devices.count == 1, devices.contains(log.device) { continue }
      safe.raise(index, to: min(held.map { $0.count(index) }.min() ?? (isHere ? log.count : 0), log.count))
    }
    return safe
  }

  /// Wants the bytes of dropped changes that not every keeper is known to have.
  func noteNeeds(above floors: [LogPosition], _ rows: borrowing StoreTransaction) throws(TreeError) {
    var safe = Context()
    let counts = Dictionary(grouping: floors, by: \.log).mapValues(\.count)
    for position in floors {
      if let dot = try find(position, rows) {
        safe.raise(dot.log, to: dot.seq + 1)
      } else if counts[position.log] == 1, let found = indices[position.log], found.count == 1,
        position.seq >= logs[found[0]].count
      {
        // The keepers are further than the checkpoint: with one branch here and there, all of this one is behind them.
        safe.raise(found[0], to: logs[found[0]].count)
      }
    }
    try noteNeeds(beyond: safe, rows)
  }

  /// The same by how many changes of each log or branch every keeper is known to have.
  func noteNeeds(beyond safe: Context, _ rows: borrowing StoreTransaction) throws(TreeError) {
    for (index, log) in logs.enumerated() {
      guard let last = log.dropped.last(from: safe.count(index), through: .max) else {
        if !log.dropped.isEmpty { try rows.delete(.need, RowKey.of(index, log.dropped.end - 1) + Replica.ownAct) }
        continue
      }
      try rows.put(.need, RowKey.of(index, last) + Replica.ownAct, RowKey.commit(safe.count(index)))
    }
  }

  /// The last signed head in each block of each log: of a newcomer that fetches the history later, others get it in
  /// such pieces.
  func signedHeads(_ rows: borrowing StoreTransaction) throws(TreeError) -> [CheckpointBundle.SignedHead] {
    var heads: [CheckpointBundle.SignedHead] = []
    for index in logs.indices where !logs[index].isEmpty {
      var last: (seq: UInt64, head: CheckpointBundle.SignedHead)?
      var next = logs[index].first
      while let seq = try signedHeads(of: index, around: next, rows).from, heads.count < CheckpointBundle.maximumHeads {
        next = seq + 1
        guard let hash = try knownHash(of: Dot(log: index, seq: seq), rows),
          let signature = try signature(of: Dot(log: index, seq: seq), rows)
        else { continue }
        let position = LogPosition(log: logs[index].introduced, seq: seq, hash: hash)
        if let last, last.seq / block != seq / block { heads.append(last.head) }
        last = (seq, CheckpointBundle.SignedHead(position: position, signature: signature))
      }
      if let last { heads.append(last.head) }
    }
    return heads
  }

  /// Keeps what a device has signed of what is here. Of dropped changes only the signature can be looked at: it counts
  /// once their bytes have come, if it is over what they are.
  mutating func take(
    _ head: CheckpointBundle.SignedHead, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    let (position, signature) = (head.position, head.signature)
    guard let dot = try find(position, rows) else { return }
    let message = ChangeRun.signedHead(log: position.log, seq: position.seq, head: position.hash, space: space)
    guard Sodium.isValid(signature, of: message, byUnknown: logs[dot.log].device) else {
      throw TreeError(.damaged, "a checkpoint has a signature that is not of its log's device")
    }
    let known = try knownHash(of: dot, rows)
    if known != nil, known != position.hash { return }
    try rows.put(
      .signature, RowKey.of(dot.log, dot.seq),
      known == nil ? Replica.claim(signature, over: position.hash) : signature.bytes)
    logs[dot.log].signedCount = max(logs[dot.log].signedCount, dot.seq + 1)
    logs[dot.log].mustKeepSignature = true
  }
}
