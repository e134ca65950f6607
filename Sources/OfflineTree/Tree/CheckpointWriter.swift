/// Gathers the records of a checkpoint and cuts them into pieces.
struct CheckpointWriter {
  private var buffer = ByteWriter(capacity: Checkpoint.pieceBytes)
  private var pieces: [[UInt8]] = []
  private var hashes: [UInt8] = []
  private var byteCount = 0
  private var compressedCount = 0

  /// A record: varint length of what follows ‖ kind u8 ‖ what `fill` writes.
  mutating func record(_ kind: CheckpointRecord, _ fill: (inout ByteWriter) -> Void) throws(TreeError) {
    var writer = ByteWriter()
    writer.u8(kind.rawValue)
    fill(&writer)
    guard writer.count <= Checkpoint.recordBytes else {
      throw TreeError(.limitExceeded, "a record of a checkpoint has \(writer.count) bytes")
    }
    buffer.varint(writer.count)
    buffer.append(writer.bytes)
    while buffer.count >= Checkpoint.pieceBytes { try cut(Checkpoint.pieceBytes) }
  }

  private mutating func cut(_ count: Int) throws(TreeError) {
    let piece = Array(buffer.bytes[..<count])
    let rest = buffer.bytes[count...]
    buffer = ByteWriter(capacity: Checkpoint.pieceBytes)
    buffer.append(rest)
    hashes += Sodium.hash32(piece).bytes
    let frame = try Zstd.compress(piece)
    byteCount += count
    compressedCount += frame.count
    pieces.append(frame)
    guard compressedCount <= Checkpoint.maximumBytes, pieces.count <= Checkpoint.maximumPieces else {
      throw TreeError(
        .limitExceeded, "the state of the space is too large for a checkpoint: beyond \(Checkpoint.maximumBytes) bytes",
        advice: "Newcomers read the history instead")
    }
  }

  mutating func finish(_ clock: VectorClock) throws(TreeError) -> Checkpoint {
    if buffer.count > 0 { try cut(buffer.count) }
    return Checkpoint(
      hash: Checkpoint.hash(ofPieces: hashes), clockDigest: clock.digest, byteCount: byteCount, pieces: pieces)
  }
}

/// Gives out the records of a checkpoint, a piece opened at a time.
struct CheckpointReader {
  private let checkpoint: Checkpoint
  private var next = 0
  private var opened: [UInt8] = []
  private var position = 0

  /// - Throws: `.damaged` or `.limitExceeded` if its pieces are not what its hash says: O(bytes), before anything is read.
  init(_ checkpoint: Checkpoint) throws(TreeError) {
    try Self.requireLimits(checkpoint)
    self.checkpoint = checkpoint
    var hashes: [UInt8] = []
    for place in 0..<checkpoint.pieces.count {
      let piece = try Zstd.decompress(checkpoint.pieces[place][...], byteCount: checkpoint.openedBytes(of: place))
      hashes += Sodium.hash32(piece).bytes
    }
    guard Checkpoint.hash(ofPieces: hashes) == checkpoint.hash else {
      throw TreeError(.damaged, "a checkpoint does not agree with its hash")
    }
  }

  /// Gives out the records of the first piece alone, whatever the hash says: O(a piece).
  init(firstPieceOf checkpoint: Checkpoint) throws(TreeError) {
    try Self.requireLimits(checkpoint)
    self.checkpoint = Checkpoint(
      hash: checkpoint.hash, clockDigest: checkpoint.clockDigest, byteCount: checkpoint.openedBytes(of: 0),
      pieces: checkpoint.pieces.first)
  }

  private static func requireLimits(_ checkpoint: Checkpoint) throws(TreeError) {
    guard checkpoint.isWithinLimits else {
      throw TreeError(
        .limitExceeded, "a checkpoint says \(checkpoint.byteCount) bytes in \(checkpoint.pieces.count) pieces")
    }
  }

  /// The next record; nil behind the last.
  mutating func record() throws(TreeError) -> (kind: CheckpointRecord, body: [UInt8])? {
    guard let length = try varint() else { return nil }
    guard length > 0, length <= UInt64(Checkpoint.recordBytes) else {
      throw TreeError(.damaged, "a record of a checkpoint has \(length) bytes")
    }
    let bytes = try take(Int(length))
    guard let kind = CheckpointRecord(rawValue: bytes[0]) else {
      throw TreeError(
        .unsupportedVersion, "a checkpoint has a record of the unknown kind \(bytes[0])", advice: "Update this program")
    }
    return (kind, Array(bytes.dropFirst()))
  }

  /// Is another byte there?
  private mutating func fill() throws(TreeError) -> Bool {
    while position == opened.count {
      guard next < checkpoint.pieces.count else { return false }
      opened = try Zstd.decompress(checkpoint.pieces[next][...], byteCount: checkpoint.openedBytes(of: next))
      (next, position) = (next + 1, 0)
    }
    return true
  }

  private mutating func varint() throws(TreeError) -> UInt64? {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while try fill() {
      let byte = opened[position]
      position += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
      guard shift < 35 else { throw TreeError(.damaged, "the length of a record of a checkpoint is too long") }
    }
    if shift > 0 { throw Self.cutOff }
    return nil
  }

  private mutating func take(_ count: Int) throws(TreeError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      guard try fill() else { throw Self.cutOff }
      let part = min(count - bytes.count, opened.count - position)
      bytes += opened[position..<position + part]
      position += part
    }
    return bytes
  }

  private static let cutOff = TreeError(.damaged, "a checkpoint is cut off")
}
