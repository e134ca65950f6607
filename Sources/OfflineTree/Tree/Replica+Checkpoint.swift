/// Writes this replica's state as a checkpoint. For states of which nothing is buffered.
extension Replica {
  /// - Complexity: O(history that is kept + live state).
  func checkpoint(_ rows: borrowing StoreTransaction) throws(TreeError) -> Checkpoint {
    guard let genesis else {
      throw TreeError(.unavailable, "nothing of the space is here yet", advice: "Sync with a device that has it first")
    }
    let ranks = ranks
    var writer = CheckpointWriter()
    let clock = clock
    let stateHash = try Replica.stateHash(rows)
    try writer.record(.header) { writer in
      writer.u8(Checkpoint.version)
      writer.append(space)
      writer.varint(block)
      writer.append(stateHash)
      writer.append(clock.digest)
    }
    try writer.record(.genesis) { $0.append(genesis.encoded) }
    for index in ranks.order { try write(log: index, ranks, to: &writer) }
    for index in ranks.order {
      try writer.record(.history) { $0.varint(ranks[index]) }
      try writeHistory(of: index, to: &writer, rows)
      try writeContexts(of: index, ranks, to: &writer, rows)
      try writeVoids(of: index, to: &writer, rows)
    }
    try writeDots(.control, authority.records.map(\.dot), ranks, to: &writer)
    try writeDots(.frontier, frontier.map { Dot(log: $0.key, seq: $0.value) }, ranks, to: &writer)
    try writeItems(ranks, to: &writer, rows)
    try writer.record(.end) { _ in }
    return try writer.finish(clock)
  }

  /// What logs are called in a checkpoint: their places when sorted by the ids that order them.
  struct Ranks {
    let order: [Int]
    private let ranks: [Int]

    init(_ order: [Int]) {
      self.order = order
      var ranks = [Int](repeating: 0, count: order.count)
      for (rank, index) in order.enumerated() { ranks[index] = rank }
      self.ranks = ranks
    }

    subscript(index: Int) -> Int { ranks[index] }
  }

  private var ranks: Ranks { Ranks(logs.indices.sorted { logs[$0].id < logs[$1].id }) }

  static func stateHash(_ rows: borrowing StoreTransaction) throws(TreeError) -> Bytes16 {
    var sums: [UInt8: UInt128] = [:]
    for bucket in 0..<StateHash.buckets { sums[UInt8(bucket)] = try hashBucket(UInt8(bucket), rows) }
    return StateHash(sums).digest
  }

  private func write(log index: Int, _ ranks: Ranks, to writer: inout CheckpointWriter) throws(TreeError) {
    let log = logs[index]
    try writer.record(.log) { writer in
      writer.append(log.introduced)
      writer.append(log.id)
      writer.varint(log.parent.map { ranks[$0] + 1 } ?? 0)
      writer.varint(log.first)
      writer.varint(log.count)
      writer.append(log.head)
      writer.u8(log.ceiling == nil ? 0 : 1)
      (log.ceiling ?? .zero).encode(to: &writer)
      writer.append(log.device)
      writer.zigzag(log.wallTime)
    }
  }

  private func writeDots(
    _ kind: CheckpointRecord, _ dots: [Dot], _ ranks: Ranks, to writer: inout CheckpointWriter
  ) throws(TreeError) {
    for (log, seq) in dots.map({ (ranks[$0.log], $0.seq) }).sorted(by: { $0 < $1 }) {
      try writer.record(kind) { writer in
        writer.varint(log)
        writer.varint(seq)
      }
    }
  }

  private func writeContexts(
    of index: Int, _ ranks: Ranks, to writer: inout CheckpointWriter, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    try forEachRow(of: index, in: .context, rows) { (seq, bytes) throws(TreeError) in
      var reader = ByteReader(bytes)
      var entries: [(rank: Int, count: UInt64)] = []
      while !reader.isAtEnd {
        let log = try reader.count("log index", limit: logs.count - 1)
        entries.append((ranks[log], try reader.varint("count")))
      }
      try writer.record(.context) { writer in
        writer.varint(seq)
        for entry in entries.sorted(by: { $0.rank < $1.rank }) {
          writer.varint(entry.rank)
          writer.varint(entry.count)
        }
      }
    }
  }

  private func writeVoids(
    of index: Int, to writer: inout CheckpointWriter, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    try forEachRow(of: index, in: .void, rows) { (seq, bytes) throws(TreeError) in
      // Reasons name devices as they were called when it was judged: they are no part of the state.
      let ceiling = try VoidRow(decoding: bytes).ceiling
      try writer.record(.void) { writer in
        writer.varint(seq)
        writer.u8(ceiling == nil ? 0 : 1)
        (ceiling ?? .zero).encode(to: &writer)
      }
    }
  }

  private func forEachRow(
    of index: Int, in table: Table, _ rows: borrowing StoreTransaction,
    _ body: (UInt64, [UInt8]) throws(TreeError) -> Void
  ) throws(TreeError) {
    let prefix = RowKey.of(index)
    try rows.withCursor(table) { (cursor) throws(TreeError) in
      var isFound = try cursor.seek(atLeast: prefix)
      while isFound, cursor.key.starts(with: prefix) {
        try body(RowKey.number(cursor.keyBytes[4...]), cursor.valueBytes)
        isFound = try cursor.next()
      }
    }
  }
}
