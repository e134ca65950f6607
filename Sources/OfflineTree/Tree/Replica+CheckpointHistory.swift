/// What a checkpoint says of a log's changes: of whole blocks what every replica keeps of them, of the rest the bytes.
extension Replica {
  /// Changes on their way into records.
  private struct Gathered {
    let log: LogID
    private(set) var first: UInt64
    var hashBefore: Bytes32
    /// Of the last of them.
    var head: Bytes32
    private(set) var bodies: [ArraySlice<UInt8>] = []
    private(set) var bytes = 0

    init(log: LogID, first: UInt64, hashBefore: Bytes32 = .zero) {
      (self.log, self.first, self.hashBefore, head) = (log, first, hashBefore, hashBefore)
    }

    var next: UInt64 { first + UInt64(bodies.count) }

    mutating func append(_ body: ArraySlice<UInt8>) {
      head = Change.hash(log: log, seq: next, previous: head, body: body)
      bodies.append(body)
      bytes += body.count
    }

    /// How many of them, from the first on, make a record: up to the one that reaches the size of a piece, or all.
    var recordCount: Int {
      var (count, bytes) = (0, 0)
      while count < bodies.count, count == 0 || bytes < Checkpoint.pieceBytes {
        bytes += bodies[count].count
        count += 1
      }
      return count
    }

    /// Takes the first ones away.
    mutating func removeFirst(_ count: Int) {
      for body in bodies.prefix(count) {
        hashBefore = Change.hash(log: log, seq: first, previous: hashBefore, body: body)
        first += 1
        bytes -= body.count
      }
      bodies.removeFirst(count)
    }
  }

  func writeHistory(
    of index: Int, to writer: inout CheckpointWriter, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    let entry = logs[index]
    guard !entry.isEmpty else { return }
    var gathered = Gathered(log: entry.introduced, first: entry.first)
    var output = writer
    try Replica.forEachRun(index, from: entry.first, showsGaps: true, rows) { run throws(TreeError) in
      guard run.first == gathered.next else {
        throw TreeError(.damaged, "the log \(entry.introduced) is not whole", advice: Store.damageAdvice)
      }
      if gathered.bodies.isEmpty { (gathered.hashBefore, gathered.head) = (run.hashBefore, run.hashBefore) }
      if run.isGap {
        try writeBodies(&gathered, to: &output)
        try output.record(.gap) { writer in
          writer.append(
            StoredRun.gapRow(
              count: run.count, hashBefore: run.hashBefore, kept: run.kept,
              authors: run.authors.sorted { $0.key < $1.key }.map { (offset: $0.key, author: $0.value) }))
        }
        gathered = Gathered(log: entry.introduced, first: run.next)
        return true
      }
      for body in run.bodies {
        gathered.append(body)
        if gathered.next.isMultiple(of: block) {
          try writeBlock(&gathered, of: index, to: &output)
          gathered = Gathered(log: entry.introduced, first: gathered.next, hashBefore: gathered.head)
        } else if gathered.bytes > Limits.historyBlockBytes {
          // The block is one of those that stay: it need not be held as a whole.
          try writeBodies(&gathered, leaving: Checkpoint.pieceBytes, to: &output)
        }
      }
      return true
    }
    try writeBodies(&gathered, to: &output)
    writer = output
  }

  /// What ends at a block's border.
  private func writeBlock(
    _ gathered: inout Gathered, of index: Int, to writer: inout CheckpointWriter
  ) throws(TreeError) {
    let isWhole = gathered.bodies.count == Int(block) && gathered.bytes <= Limits.historyBlockBytes
    guard isWhole else { return try writeBodies(&gathered, to: &writer) }
    var hash = gathered.hashBefore
    guard let row = try gapRow(index, gathered.first, &hash, gathered.bodies[...], cutoff: nil) else {
      throw TreeError(.internal, "a block of history says nothing of itself")
    }
    try writer.record(.gap) { $0.append(row) }
  }

  /// Writes changes in records, all or until fewer bytes are left than make a record.
  private func writeBodies(
    _ gathered: inout Gathered, leaving rest: Int = 0, to writer: inout CheckpointWriter
  ) throws(TreeError) {
    while !gathered.bodies.isEmpty, gathered.bytes >= rest {
      let count = gathered.recordCount
      try writer.record(.bodies) { writer in
        writer.append(gathered.hashBefore)
        writer.varint(count)
        for body in gathered.bodies.prefix(count) {
          writer.varint(body.count)
          writer.append(body)
        }
      }
      gathered.removeFirst(count)
    }
  }
}
