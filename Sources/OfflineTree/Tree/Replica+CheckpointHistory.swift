/// What a checkpoint says of a log's changes: of whole blocks what every replica keeps of them, of the rest the bytes.
extension Replica {
  /// Changes on their way into records.
  private struct Gathered {
    let log: LogID
    var first: UInt64
    var hashBefore = Bytes32.zero
    /// Of the last of them.
    var head = Bytes32.zero
    var bodies: [ArraySlice<UInt8>] = []

    var next: UInt64 { first + UInt64(bodies.count) }
    var bytes: Int { bodies.reduce(0) { $0 + $1.count } }
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
        try writeBodies(gathered, to: &output)
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
        gathered.head = Change.hash(
          log: entry.introduced, seq: gathered.next, previous: gathered.head, body: body)
        gathered.bodies.append(body)
        guard gathered.next.isMultiple(of: block) else { continue }
        try writeBlock(gathered, of: index, to: &output)
        gathered = Gathered(
          log: entry.introduced, first: gathered.next, hashBefore: gathered.head, head: gathered.head)
      }
      return true
    }
    try writeBodies(gathered, to: &output)
    writer = output
  }

  /// What ends at a block's border.
  private func writeBlock(
    _ gathered: Gathered, of index: Int, to writer: inout CheckpointWriter
  ) throws(TreeError) {
    let isWhole = gathered.bodies.count == Int(block) && gathered.bytes <= Limits.historyBlockBytes
    guard isWhole else { return try writeBodies(gathered, to: &writer) }
    var hash = gathered.hashBefore
    guard let row = try gapRow(index, gathered.first, &hash, gathered.bodies[...], cutoff: nil) else {
      throw TreeError(.internal, "a block of history says nothing of itself")
    }
    try writer.record(.gap) { $0.append(row) }
  }

  private func writeBodies(_ gathered: Gathered, to writer: inout CheckpointWriter) throws(TreeError) {
    var (first, hash) = (gathered.first, gathered.hashBefore)
    var rest = gathered.bodies[...]
    while !rest.isEmpty {
      var (count, bytes) = (0, 0)
      while count < rest.count, count == 0 || bytes < Checkpoint.pieceBytes {
        bytes += rest[rest.startIndex + count].count
        count += 1
      }
      let part = rest.prefix(count)
      try writer.record(.bodies) { writer in
        writer.append(hash)
        writer.varint(part.count)
        for body in part {
          writer.varint(body.count)
          writer.append(body)
        }
      }
      rest = rest.dropFirst(count)
      // The next record names the hash before it.
      if !rest.isEmpty {
        for body in part {
          hash = Change.hash(log: gathered.log, seq: first, previous: hash, body: body)
          first += 1
        }
      }
    }
  }
}
