/// Increments: one part a counter and log, and the total in the register.
extension Replica {
  mutating func increment(
    _ path: PathKey, _ number: Scalar, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    var found = try register(path, rows)
    let counter = counterNumber(&found.register)
    let stored = try part(of: counter, acting.dot.log, rows)
    var part = stored ?? Part(first: acting.dot.seq, last: acting.dot.seq, count: 0, sum: ExactSum())
    part.add(acting.dot.seq, number)
    hold(part, of: counter, acting.dot.log, at: path, stored: stored)
    found.register.increments += 1
    found.register.total.add(number)
    try hold(path, found, &acting, rows)
  }

  /// The number that names the counter's rows.
  mutating func counterNumber(_ register: inout Register) -> UInt64 {
    if register.counter == 0 {
      lastCounter += 1
      metaChanged = true
      register.counter = lastCounter
    }
    return register.counter
  }

  /// Takes out of a counter the increments that the change had seen.
  mutating func removeSeenParts(
    _ path: PathKey, _ register: inout Register, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    try storeParts(of: register.counter, rows)
    for (log, part) in try parts(of: register.counter, rows) {
      let seen = acting.context.count(log)
      guard part.first < seen else { continue }
      let rest = part.last < seen ? nil : try unseen(of: part, log, path, &acting, rows)
      hash.remove(.part(path, part, log: logs[log].id))
      register.increments -= part.count
      register.total -= part.sum
      let key = RowKey.part(register.counter, log)
      guard let rest else {
        try rows.delete(.part, key)
        continue
      }
      hash.add(.part(path, rest, log: logs[log].id))
      register.increments += rest.count
      register.total += rest.sum
      try rows.put(.part, key, rest.encoded)
    }
  }

  /// The parts of a counter by log index.
  func parts(
    of counter: UInt64, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> [(log: Int, part: Part)] {
    let prefix = RowKey.counter(counter)
    return try rows.withCursor(.part) { (cursor) throws(TreeError) in
      var result: [(log: Int, part: Part)] = []
      var isFound = try cursor.seek(atLeast: prefix)
      while isFound, cursor.key.starts(with: prefix) {
        result.append((Int(RowKey.number(cursor.keyBytes[8...])), try Part(decoding: cursor.valueBytes)))
        isFound = try cursor.next()
      }
      return result
    }
  }

  /// What is left of a part that the change had seen in part: re-read from the log, once for the whole change.
  private mutating func unseen(
    of part: Part, _ log: Int, _ path: PathKey, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Part? {
    let seen = acting.context.count(log)
    if acting.unseen[log] == nil { acting.unseen[log] = try readIncrements(log, from: seen, rows) }
    guard let unseen = acting.unseen[log] else { return nil }
    if part.last >= unseen.end { throw Replica.missing(log, from: seen, through: part.last) }
    var rest: Part?
    for (seq, number) in unseen.increments[path] ?? [] where seq <= part.last {
      if rest == nil { rest = Part(first: seq, last: seq, count: 0, sum: ExactSum()) }
      rest?.add(seq, number)
    }
    return rest
  }

  /// Up to where changes were dropped, if they were.
  private mutating func readIncrements(
    _ log: Int, from seq: UInt64, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Acting.Unseen {
    try closeRun(rows)
    var result = Acting.Unseen(end: logs[log].count)
    if let gap = logs[log].dropped.range(atOrAfter: seq) { result.end = max(seq, gap.lowerBound) }
    let end = result.end
    if end == seq { return result }
    try Replica.forEachRun(log, from: seq, rows) { (run) throws(TreeError) in
      for (offset, body) in run.bodies.enumerated() {
        let number = run.first + UInt64(offset)
        guard number >= seq, number < end, try rows.get(.void, RowKey.of(log, number)) == nil,
          case .change(let change, _) = try Change.decode(body)
        else { continue }
        for case .increment(let path, let by) in change.operations {
          result.increments[path, default: []].append((number, by))
        }
      }
      return run.next < end
    }
    return result
  }
}

extension Part {
  var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 16)
    writer.varint(first)
    writer.varint(last)
    writer.varint(count)
    sum.encode(to: &writer)
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(TreeError) {
    var reader = ByteReader(bytes)
    first = try reader.varint("part")
    last = try reader.varint("part")
    count = try reader.varint("part")
    sum = try ExactSum.decode(from: &reader)
  }
}
