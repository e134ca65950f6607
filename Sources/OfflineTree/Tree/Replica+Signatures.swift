/// Signed heads: what vouches for a log up to a change, and where a log can be cut when it is handed on.
extension Replica {
  /// Signs the last change of a log of this device, if it is not signed yet.
  mutating func signHead(of log: Int, _ rows: borrowing StoreTransaction) throws(TreeError) {
    guard let keys, logs[log].count > logs[log].signedCount else { return }
    let (seq, head) = (logs[log].count - 1, logs[log].head)
    let message = ChangeRun.signedHead(log: logs[log].introduced, seq: seq, head: head, space: space)
    try keep(keys.sign(message), of: Dot(log: log, seq: seq), rows)
  }

  /// At the end of a commit: everything of this device's that is not signed yet.
  mutating func signHeads(_ rows: borrowing StoreTransaction) throws(TreeError) {
    guard let currentLog, logs[currentLog].count > logs[currentLog].signedCount else { return }
    try signHead(of: currentLog, rows)
    try rows.put(.log, RowKey.of(currentLog), logs[currentLog].encoded)
  }

  /// Keeps the signature of a log's last change. The one before goes, unless somebody may have to be sent the log just
  /// up to there.
  mutating func keep(
    _ signature: Signature, of dot: Dot, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    let entry = logs[dot.log]
    let span = entry.signedBytes + entry.unsignedBytes
    if entry.signedCount > entry.first, !entry.mustKeepSignature, span <= LogEntry.signedSpan {
      try rows.delete(.signature, RowKey.of(dot.log, entry.signedCount - 1))
      logs[dot.log].signedBytes = span
    } else {
      logs[dot.log].signedBytes = entry.unsignedBytes
    }
    try rows.put(.signature, RowKey.of(dot.log, dot.seq), signature.bytes)
    logs[dot.log].signedCount = dot.seq + 1
    logs[dot.log].unsignedBytes = 0
    logs[dot.log].mustKeepSignature = entry.isAtBorder
    logs[dot.log].isAtBorder = false
    changedLogs.insert(dot.log)
  }

  /// Keeps what somebody says is the signature of a change whose hash is not known here: with the hash over which it is.
  static func claim(_ signature: Signature, over hash: Bytes32) -> [UInt8] { signature.bytes + hash.bytes }

  /// The hash over which a row's signature is said to be; nil if that was looked at.
  private static func claimedHash(_ row: [UInt8]) -> Bytes32? {
    row.count == Signature.byteCount + 32 ? Bytes32(row.suffix(32)) : nil
  }

  /// The signature of a change, if there is one that is known to be of it.
  func signature(of dot: Dot, _ rows: borrowing StoreTransaction) throws(TreeError) -> Signature? {
    guard let row = try rows.get(.signature, RowKey.of(dot.log, dot.seq)) else { return nil }
    if row.count == Signature.byteCount { return Signature(row) }
    guard let claimed = Replica.claimedHash(row), try knownHash(of: dot, rows) == claimed else { return nil }
    return Signature(row)
  }

  /// Is a row's signature over another hash than that of the change?
  private func isFalse(_ row: [UInt8], of dot: Dot, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bool {
    guard let claimed = Replica.claimedHash(row), dot.seq < logs[dot.log].count else { return false }
    return try knownHash(of: dot, rows).map { $0 != claimed } ?? false
  }

  /// The last signed number of a log below `seq`, and the first from there on.
  func signedHeads(
    of log: Int, around seq: UInt64, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> (before: UInt64?, from: UInt64?) {
    try rows.withCursor(.signature) { (cursor) throws(TreeError) in
      func number(_ key: [UInt8]) -> UInt64? {
        Int(RowKey.number(key[..<4])) == log ? RowKey.number(key[4...]) : nil
      }
      var (before, from): (UInt64?, UInt64?) = (nil, nil)
      var key = RowKey.of(log, seq)
      while before == nil, try cursor.seek(before: key) {
        key = cursor.keyBytes
        guard let found = number(key) else { break }
        if try !isFalse(cursor.valueBytes, of: Dot(log: log, seq: found), rows) { before = found }
      }
      var isFound = try cursor.seek(atLeast: RowKey.of(log, seq))
      while isFound, let found = number(cursor.keyBytes) {
        if try !isFalse(cursor.valueBytes, of: Dot(log: log, seq: found), rows) {
          from = found
          break
        }
        isFound = try cursor.next()
      }
      return (before, from)
    }
  }

  /// After a split: signatures of changes from `seq` on belong to the branch; before the split nothing may be signed.
  mutating func moveSignatures(
    from log: Int, to branch: Int, at seq: UInt64, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    var next = seq
    while let moved = try signedHeads(of: log, around: next, rows).from {
      if let bytes = try rows.get(.signature, RowKey.of(log, moved)) {
        try rows.put(.signature, RowKey.of(branch, moved), bytes)
      }
      try rows.delete(.signature, RowKey.of(log, moved))
      next = moved + 1
    }
    logs[branch].signedCount = max(logs[log].signedCount, seq)
    logs[branch].signedBytes = logs[log].signedBytes
    logs[branch].unsignedBytes = logs[log].unsignedBytes
    logs[branch].mustKeepSignature = true
    let last = try signedHeads(of: log, around: seq, rows).before
    logs[log].signedCount = last.map { $0 + 1 } ?? logs[log].first
    logs[log].mustKeepSignature = true
    changedLogs.formUnion([log, branch])
  }

  // MARK: Verifying

  /// Why a run of changes cannot be taken, or nil: no signature of its device over its last change.
  ///
  /// - Parameters:
  ///   - device: The log's device, as its introduction says.
  ///   - head: The hash of the run's last change.
  func signatureFault(_ run: ChangeRun, device: Bytes32, head: Bytes32) -> TreeError? {
    guard let signature = run.signature else {
      return TreeError(.damaged, "changes of the log \(run.log) are not signed")
    }
    let message = ChangeRun.signedHead(log: run.log, seq: run.last, head: head, space: space)
    // The key of a log that is here was looked at when the log began.
    let isKnown = indices[run.log] != nil
    if isKnown
      ? Sodium.isValid(signature, of: message, by: device)
      : Sodium.isValid(signature, of: message, byUnknown: device)
    {
      return nil
    }
    return TreeError(.damaged, "changes of the log \(run.log) are not signed by the log's device")
  }

  /// The device of a log that is here.
  func device(of log: LogID) -> Bytes32? { indices[log]?.first.map { logs[$0].device } }
}

extension LogEntry {
  /// Bytes of changes after which a signed head stays: 1 MiB.
  static let signedSpan = 1 << 20
}
