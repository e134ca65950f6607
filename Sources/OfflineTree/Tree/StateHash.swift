/// Finds accidents: an order-independent sum over all live items, in 256 buckets by path.
///
/// Equal sets of changes give equal hashes; equal clocks with unequal hashes are an alarm. It authenticates nothing.
struct StateHash: Sendable {
  static let buckets = 256
  /// What was added to each bucket since the last `flush`, modulo 2^128.
  private(set) var changes: [UInt8: UInt128] = [:]
  #if DEBUG
    /// Items that were hashed to keep it up: what the upkeep costs, for tests.
    private(set) var hashes = 0
  #endif

  init() {}

  init(_ sums: [UInt8: UInt128]) { changes = sums }

  mutating func add(_ item: HashItem) { change(item.bucket, by: item.value) }

  mutating func remove(_ item: HashItem) { change(item.bucket, by: 0 &- item.value) }

  private mutating func change(_ bucket: UInt8, by value: UInt128) {
    changes[bucket, default: 0] &+= value
    #if DEBUG
      hashes += 1
    #endif
  }

  /// The state hash of a replica that has nothing but what was added here.
  var digest: Bytes16 {
    var bytes: [UInt8] = []
    for bucket in 0..<StateHash.buckets {
      let sum = changes[UInt8(bucket)] ?? 0
      bytes += (0..<16).map { UInt8(truncatingIfNeeded: sum >> UInt128(8 * $0)) }
    }
    return Sodium.hash16(bytes)
  }

  mutating func removeAllChanges() { changes.removeAll(keepingCapacity: true) }

  /// The bucket of a path: a function of its bytes alone, so that replicas can narrow a difference down.
  static func bucket(of path: PathKey) -> UInt8 {
    var mixed: UInt32 = 2_166_136_261
    for byte in path.bytes { mixed = (mixed ^ UInt32(byte)) &* 16_777_619 }
    return UInt8(truncatingIfNeeded: mixed ^ mixed >> 8 ^ mixed >> 16 ^ mixed >> 24)
  }
}

/// One live item, hashed. Log indices are local, so the log's id stands in it.
struct HashItem {
  let bucket: UInt8
  let value: UInt128

  private init(_ path: PathKey, _ kind: UInt8, _ fill: (inout ByteWriter) -> Void) {
    var writer = ByteWriter(capacity: 96 + path.bytes.count)
    writer.u8(kind)
    writer.prefixed(path.bytes)
    fill(&writer)
    value = unsafe writer.bytes.withUnsafeBytes { unsafe Sodium.checksum128($0) }
    bucket = StateHash.bucket(of: path)
  }

  static func version(_ path: PathKey, _ version: Version, log: LogID) -> HashItem {
    HashItem(path, 1) {
      $0.append(log)
      $0.varint(version.dot.seq)
      version.stamp.encode(to: &$0)
      version.value.encode(to: &$0)
    }
  }

  static func part(_ path: PathKey, _ part: Part, log: LogID) -> HashItem {
    HashItem(path, 2) {
      $0.append(log)
      $0.varint(part.first)
      $0.varint(part.last)
      $0.varint(part.count)
      part.sum.encode(to: &$0)
    }
  }

  static func ballot(_ path: PathKey, _ voter: Key, _ ballot: Ballot, log: LogID) -> HashItem {
    HashItem(path, 3) {
      $0.prefixed(voter.text)
      $0.append(log)
      $0.varint(ballot.dot.seq)
      ballot.stamp.encode(to: &$0)
      $0.zigzag(Int64(ballot.choice))
    }
  }

  static func priority(_ path: PathKey, _ item: PriorityItem, log: LogID) -> HashItem {
    HashItem(path, 4) {
      $0.append(log)
      $0.varint(item.dot.seq)
      item.stamp.encode(to: &$0)
      if let value = item.value { value.encode(to: &$0) } else { $0.u8(0) }
    }
  }

  static func file(_ path: PathKey, _ item: FileItem, log: LogID) -> HashItem {
    HashItem(path, 5) {
      $0.append(log)
      $0.varint(item.dot.seq)
      item.stamp.encode(to: &$0)
      item.content.encode(to: &$0)
    }
  }
}
