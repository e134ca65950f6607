/// What a replica knows of one log, or of one branch of a log that has forked.
struct LogEntry: Equatable, Sendable {
  /// The id under which the log was introduced.
  let introduced: LogID
  /// The id that orders its changes: the introduced one, or the branch's.
  var id: LogID
  /// The index of the log that this one branched off; its changes below `first` are there.
  var parent: Int?
  /// The number of its first change.
  var first: UInt64
  /// The number that its next change will have.
  var count: UInt64
  /// The hash of its last change; of the one before `first` while it has none.
  var head: Bytes32
  /// The highest stamp of a change that is not void in its last change and that one's context; nil if there is none.
  var ceiling: Stamp?
  /// What its last change had seen.
  var context = Context()
  var device = Bytes32.zero
  var deviceName = ""
  /// The wall time of its last change.
  var wallTime: Int64 = 0
  /// The number behind that of its last signed head; `first` while nothing of it is signed.
  var signedCount: UInt64
  /// Bytes of changes between the last two signed heads that stay, and behind the last one.
  var signedBytes = 0
  var unsignedBytes = 0
  /// Does the last signed head stay when the next one comes?
  var mustKeepSignature = false
  /// Does the log end in a change that is sealed apart? Known only while it is being taken in.
  var isAtBorder = false
  /// Below this number no row is as it came: all are packed, or dropped.
  var packedCount: UInt64 = 0
  /// Of which changes the bytes were dropped.
  var dropped = DroppedRanges()

  var isEmpty: Bool { count == first }
}

extension LogEntry {
  /// A row of the table `log`. The context is in the table `context`.
  var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 160)
    writer.append(introduced)
    writer.append(id)
    writer.varint(parent.map { UInt64($0) + 1 } ?? 0)
    writer.varint(first)
    writer.varint(count)
    writer.append(head)
    writer.u8(ceiling == nil ? 0 : 1)
    (ceiling ?? .zero).encode(to: &writer)
    writer.append(device)
    writer.prefixed(deviceName)
    writer.zigzag(wallTime)
    writer.varint(signedCount)
    writer.varint(signedBytes)
    writer.varint(unsignedBytes)
    writer.u8(mustKeepSignature ? 1 : 0)
    writer.varint(packedCount)
    dropped.encode(to: &writer)
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(TreeError) {
    var reader = ByteReader(bytes)
    introduced = try reader.bytes16("log")
    id = try reader.bytes16("log")
    let parent = try reader.count("parent log", limit: Int(Int32.max))
    self.parent = parent == 0 ? nil : parent - 1
    first = try reader.varint("first number")
    count = try reader.varint("count")
    head = try reader.bytes32("head")
    let hasCeiling = try reader.u8("ceiling") == 1
    let stamp = try Stamp.decode(&reader)
    ceiling = hasCeiling ? stamp : nil
    device = try reader.bytes32("device")
    deviceName = String(decoding: try reader.prefixed("device's name", limit: Limits.nameBytes), as: UTF8.self)
    wallTime = try reader.zigzag("wall time")
    signedCount = try reader.varint("signed count")
    signedBytes = try reader.count("signed bytes", limit: Int.max)
    unsignedBytes = try reader.count("unsigned bytes", limit: Int.max)
    mustKeepSignature = try reader.u8("signature") == 1
    // A row of version 1 ends here.
    if reader.isAtEnd { return }
    packedCount = try reader.varint("packed count")
    dropped = try DroppedRanges.decode(&reader)
  }

  init(introduced: LogID, id: LogID, parent: Int?, first: UInt64, head: Bytes32) {
    self.introduced = introduced
    self.id = id
    self.parent = parent
    self.first = first
    count = first
    signedCount = first
    self.head = head
  }
}
