/// Counters that a write has changed and not yet stored: a batch writes each row once, however often it was counted up.
///
/// Only registers that stand in the table `tree` and stay there are held back, and their versions do not change
/// meanwhile: whoever looks at which rows there are, and at whose they are, sees the truth.
struct CounterCache: Sendable {
  struct HeldPart: Sendable {
    let path: PathKey
    var part: Part
    /// What is in the table, and in the state hash.
    let stored: Part?
  }

  var registers: [PathKey: Register] = [:]
  /// By counter and log index.
  var parts: [UInt64: [Int: HeldPart]] = [:]

  /// Beyond so many it is time to store them.
  static let limit = 65_536

  var isEmpty: Bool { registers.isEmpty && parts.isEmpty }
}

extension Replica {
  /// Keeps a register that was counted up: in memory if its row stays where it is, else in its new place.
  mutating func hold(
    _ path: PathKey, _ found: FoundRegister, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    guard found.place == .tree, found.register.scalar(try view(path, found.register, rows)) != nil else {
      return try place(path, found, &acting, rows)
    }
    try willChange(path, rows)
    touched.insert(path)
    counters.registers[path] = found.register
    if counters.registers.count > CounterCache.limit { try storeCounters(rows) }
  }

  /// The part of a log at a counter, if there is one.
  func part(of counter: UInt64, _ log: Int, _ rows: borrowing StoreTransaction) throws(TreeError) -> Part? {
    if let held = counters.parts[counter]?[log] { return held.part }
    return try rows.get(.part, RowKey.part(counter, log)).map { row throws(TreeError) in try Part(decoding: row) }
  }

  mutating func hold(_ part: Part, of counter: UInt64, _ log: Int, at path: PathKey, stored: Part?) {
    if counters.parts[counter]?[log] != nil {
      counters.parts[counter]![log]!.part = part
    } else {
      counters.parts[counter, default: [:]][log] = CounterCache.HeldPart(path: path, part: part, stored: stored)
    }
  }

  /// Writes the parts of one counter that are held back.
  mutating func storeParts(of counter: UInt64, _ rows: borrowing StoreTransaction) throws(TreeError) {
    guard let held = counters.parts.removeValue(forKey: counter) else { return }
    for (log, entry) in held.sorted(by: { $0.key < $1.key }) {
      let id = logs[log].id
      if let stored = entry.stored { hash.remove(.part(entry.path, stored, log: id)) }
      hash.add(.part(entry.path, entry.part, log: id))
      try rows.put(.part, RowKey.part(counter, log), entry.part.encoded)
    }
  }

  /// Writes one register that is held back.
  mutating func storeRegister(_ path: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) {
    guard let register = counters.registers.removeValue(forKey: path) else { return }
    var writer = ByteWriter(capacity: 64)
    register.encode(shown: register.scalar(try view(path, register, rows)), to: &writer)
    try PathTable.tree.put(path.bytes, writer.bytes, in: rows)
  }

  /// Writes everything that is held back, in the order of the tables.
  mutating func storeCounters(_ rows: borrowing StoreTransaction) throws(TreeError) {
    if counters.isEmpty { return }
    for path in counters.registers.keys.sorted() { try storeRegister(path, rows) }
    for counter in counters.parts.keys.sorted() { try storeParts(of: counter, rows) }
  }
}
