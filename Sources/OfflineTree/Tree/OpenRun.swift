/// Consecutive changes of one log on their way into one row of the table `run`.
///
/// ```
/// key    log index u32 big-endian ‖ number of the first change u64 big-endian
/// value  hash before the first 32 ‖ count u32 ‖ end of each change, counted from the first one's start, u32 ‖ changes
/// ```
struct OpenRun: Sendable {
  let log: Int
  let first: UInt64
  let hashBefore: Bytes32
  private(set) var ends: [UInt32] = []
  private(set) var bytes: [UInt8] = []

  /// A row is closed when its changes have this many bytes.
  static let closingBytes = 64 << 10

  init(log: Int, first: UInt64, hashBefore: Bytes32) {
    self.log = log
    self.first = first
    self.hashBefore = hashBefore
  }

  var next: UInt64 { first + UInt64(ends.count) }

  mutating func append(_ body: ArraySlice<UInt8>) {
    bytes.append(contentsOf: body)
    ends.append(UInt32(bytes.count))
  }

  var row: [UInt8] {
    var writer = ByteWriter(capacity: 36 + 4 * ends.count + bytes.count)
    writer.append(hashBefore)
    writer.u32(UInt32(ends.count))
    for end in ends { writer.u32(end) }
    writer.append(bytes)
    return writer.bytes
  }
}

/// A row of the table `run`, opened.
struct StoredRun: Sendable {
  let log: Int
  let first: UInt64
  let hashBefore: Bytes32
  let bodies: [ArraySlice<UInt8>]

  var next: UInt64 { first + UInt64(bodies.count) }

  init(key: [UInt8], row: [UInt8]) throws(TreeError) {
    guard key.count == 12 else { throw TreeError(.damaged, "a row of changes has a key of \(key.count) bytes") }
    log = Int(RowKey.number(key[..<4]))
    first = RowKey.number(key[4...])
    var reader = ByteReader(row)
    hashBefore = try reader.bytes32("hash before a run")
    let count = Int(try reader.u32("count of changes"))
    guard count > 0, count <= reader.remaining / 4 else { throw reader.damaged("count of changes", "is \(count)") }
    var ends: [Int] = []
    for _ in 0..<count { ends.append(Int(try reader.u32("end of a change"))) }
    let base = row.count - reader.remaining
    var bodies: [ArraySlice<UInt8>] = []
    var start = 0
    for end in ends {
      guard start <= end, end <= row.count - base else { throw reader.damaged("end of a change", "is \(end)") }
      bodies.append(row[base + start..<base + end])
      start = end
    }
    self.bodies = bodies
  }

  /// The hash of each change.
  func hashes(introduced: LogID) -> [Bytes32] {
    var hash = hashBefore
    return bodies.enumerated().map { offset, body in
      hash = Change.hash(log: introduced, seq: first + UInt64(offset), previous: hash, body: body)
      return hash
    }
  }

  /// The hash of the change before number `seq`, which is in the run or just behind it.
  func hash(before seq: UInt64, introduced: LogID) -> Bytes32 {
    var hash = hashBefore
    for (offset, body) in bodies.enumerated() where first + UInt64(offset) < seq {
      hash = Change.hash(log: introduced, seq: first + UInt64(offset), previous: hash, body: body)
    }
    return hash
  }
}

/// The hashes of one stored run, kept while its changes are asked for one after another.
struct RunHashes: Sendable {
  let log: Int
  let first: UInt64
  let hashes: [Bytes32]

  subscript(dot: Dot) -> Bytes32? {
    guard dot.log == log, dot.seq >= first, dot.seq - first < UInt64(hashes.count) else { return nil }
    return hashes[Int(dot.seq - first)]
  }
}
