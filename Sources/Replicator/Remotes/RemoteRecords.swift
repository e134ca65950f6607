internal import OfflineTree

/// What a database keeps about its remotes, in its own records. The layouts are in docs/format.md.
struct RemoteRecords: Sendable {
  let database: Database
  /// Homes that are remembered for one remote: a member can speak for as many as it likes.
  var homesKept = 4_096

  private static let remoteKind: UInt8 = 1
  private static let acknowledgementKind: UInt8 = 2
  private static let outcomeKind: UInt8 = 3
  private static let version: UInt8 = 0

  /// Where acknowledgements go of devices that dialled us: they belong to no remote.
  static let incoming = "incoming"

  /// In the order in which they were added.
  func remotes() throws -> [RemoteAddress] { try added().map(\.address) }

  private func added() throws -> [(time: Int64, address: RemoteAddress)] {
    var found: [(time: Int64, address: RemoteAddress)] = []
    for (key, value) in try database.remoteRecords() where key.first == Self.remoteKind {
      var reader = ByteReader(value)
      try Self.requireVersion(&reader)
      let time = Int64(bitPattern: try reader.u64("time"))
      found.append((time, try RemoteAddress(parsing: String(decoding: reader.rest(), as: UTF8.self))))
    }
    return found.sorted { $0.time < $1.time }
  }

  func add(_ address: RemoteAddress, now: Int64) throws {
    // Later than all before it, whatever the clock does, since the order rests on it.
    let time = max(now, try added().last.map { $0.time &+ 1 } ?? now)
    var writer = ByteWriter()
    writer.u8(Self.version)
    writer.u64(UInt64(bitPattern: time))
    writer.append(Array(address.description.utf8))
    try database.setRecord(remote: Self.key(Self.remoteKind, address.description), writer.bytes)
  }

  /// Forgets a remote and all it acknowledged.
  func remove(_ address: RemoteAddress) throws {
    let name = address.description
    let acknowledged = Self.key(Self.acknowledgementKind, name)
    let keys = try database.remoteRecords().map(\.0).filter { $0.starts(with: acknowledged) }
    try database.setRecords(keys.map { ($0, nil) } + [(Self.key(Self.outcomeKind, name), nil)])
    try set(nil, remote: name)
    try database.setRecord(remote: Self.key(Self.remoteKind, name), nil)
  }

  private static func key(_ kind: UInt8, _ name: String) -> [UInt8] {
    [kind] + Sodium.hash16(Array(name.utf8)).bytes
  }

  private static func requireVersion(_ reader: inout ByteReader) throws(TreeError) {
    guard try reader.u8("record's version") == version else {
      throw TreeError(.unsupportedVersion, "a newer version wrote a remote's record", advice: "Update this program")
    }
  }
}

extension RemoteRecords {
  /// What one home of another device said it has, by way of one remote.
  struct Seen: Equatable, Sendable {
    var peer: PeerIdentity
    /// By the peer's wall clock, when it said so; milliseconds since 1970, as below.
    var wallTime: Int64
    /// By ours, when we first heard it.
    var heardAt: Int64
    /// Positions of our own logs only.
    var positions: [LogPosition]
  }

  func seen(by remote: String) throws -> [Seen] {
    let prefix = Self.key(Self.acknowledgementKind, remote)
    var result: [Seen] = []
    for (key, value) in try database.remoteRecords() where key.starts(with: prefix) {
      guard key.count == prefix.count + 48 else { continue }
      let identity = key[prefix.count...]
      result.append(try Self.seen(home: Bytes16(identity.prefix(16)), device: Bytes32(identity.dropFirst(16)), value))
    }
    return result.sorted { $0.peer < $1.peer }
  }

  /// Writes only what differs from what is there, so that an idle device does not; of times, only minutes count.
  func note(_ seen: Seen, remote: String) throws {
    var seen = seen
    seen.positions = Array(seen.positions.prefix(Acknowledgement.keptPositions))
    let (home, device) = (seen.peer.homeToken, seen.peer.deviceKey)
    let key = Self.key(of: seen.peer, remote)
    if let old = try database.record(remote: key).map({ try Self.seen(home: home, device: device, $0) }) {
      let elapsed = seen.wallTime.subtractingReportingOverflow(old.wallTime)
      let isRecent = !elapsed.overflow && elapsed.partialValue.magnitude < 60_000
      if old.positions == seen.positions, isRecent { return }
    } else {
      try makeRoom(remote)
    }
    var writer = ByteWriter()
    writer.u8(Self.version)
    writer.u64(UInt64(bitPattern: seen.wallTime))
    writer.u64(UInt64(bitPattern: seen.heardAt))
    writer.prefixed(seen.peer.name)
    VectorClock(seen.positions).encode(to: &writer)
    try database.setRecord(remote: key, writer.bytes)
  }

  /// Forgets the home that was heard of least recently, if there are too many.
  private func makeRoom(_ remote: String) throws {
    let known = try seen(by: remote)
    guard known.count >= homesKept, let last = known.min(by: { $0.heardAt < $1.heardAt }) else { return }
    try database.setRecord(remote: Self.key(of: last.peer, remote), nil)
  }

  /// By both: a member can name any home as its own, and must not take the place of the one that is.
  private static func key(of peer: PeerIdentity, _ remote: String) -> [UInt8] {
    key(acknowledgementKind, remote) + peer.homeToken.bytes + peer.deviceKey.bytes
  }

  private static func seen(home: Bytes16, device: Bytes32, _ value: [UInt8]) throws(TreeError) -> Seen {
    var reader = ByteReader(value)
    try requireVersion(&reader)
    let wallTime = Int64(bitPattern: try reader.u64("wall time"))
    let heardAt = Int64(bitPattern: try reader.u64("time heard"))
    let name = String(decoding: try reader.prefixed("device name", limit: Limits.nameBytes), as: UTF8.self)
    let clock = try VectorClock(decoding: &reader)
    return Seen(
      peer: PeerIdentity(deviceKey: device, name: name, homeToken: home), wallTime: wallTime, heardAt: heardAt,
      positions: clock.positions)
  }
}

extension RemoteRecords {
  /// Of each log how many changes some home has said to have, by records that were found in a damaged database.
  static func acknowledged(in records: [(key: [UInt8], value: [UInt8])]) -> [LogID: UInt64] {
    var counts: [LogID: UInt64] = [:]
    for (key, value) in records where key.first == acknowledgementKind && key.count == 17 + 48 {
      guard let seen = try? seen(home: Bytes16(key[17..<33]), device: Bytes32(key[33...]), value) else { continue }
      for position in seen.positions { counts[position.log] = max(counts[position.log] ?? 0, position.seq + 1) }
    }
    for position in keptPositions(in: records) where position.seq < Limits.changesPerLog {
      counts[position.log] = max(counts[position.log] ?? 0, position.seq + 1)
    }
    return counts
  }
}

extension RemoteRecords {
  /// How the last exchange with a remote ended.
  struct Outcome: Equatable, Sendable {
    var time: Int64
    /// Sentences: the error, holes, notes.
    var problems: [String]
  }

  private static let problemsKept = 32

  func outcome(of remote: String) throws -> Outcome? {
    guard let value = try database.record(remote: Self.key(Self.outcomeKind, remote)) else { return nil }
    var reader = ByteReader(value)
    try Self.requireVersion(&reader)
    let time = Int64(bitPattern: try reader.u64("time"))
    var problems: [String] = []
    for _ in 0..<(try reader.count("problems", limit: Self.problemsKept)) {
      problems.append(String(decoding: try reader.prefixed("problem", limit: value.count), as: UTF8.self))
    }
    return Outcome(time: time, problems: problems)
  }

  func setOutcome(_ outcome: Outcome, remote: String) throws {
    var writer = ByteWriter()
    writer.u8(Self.version)
    writer.u64(UInt64(bitPattern: outcome.time))
    writer.varint(min(outcome.problems.count, Self.problemsKept))
    for problem in outcome.problems.prefix(Self.problemsKept) { writer.prefixed(problem) }
    try database.setRecord(remote: Self.key(Self.outcomeKind, remote), writer.bytes)
  }
}
