internal import OfflineTree

/// The first 64 bytes of every file in a shared folder, which anybody can read. The layout is in docs/format.md.
struct SealedOuter: Sendable {
  enum Kind: UInt8 {
    case segment = 1
    case acknowledgement = 2
    case checkpoint = 3
    case chunk = 4
  }

  let kind: Kind
  /// Of the kind's format.
  let version: UInt8
  let epoch: EpochID
  let nonce: [UInt8]
  /// Bytes of the whole file.
  let fileByteCount: Int

  init(kind: Kind, version: UInt8 = SegmentHeader.version, epoch: EpochID, nonce: [UInt8], fileByteCount: Int) {
    (self.kind, self.version, self.epoch) = (kind, version, epoch)
    (self.nonce, self.fileByteCount) = (nonce, fileByteCount)
  }

  static let magic = SegmentHeader.magic
  static let byteCount = 64
  private static let sealed: UInt8 = 1

  var encoded: [UInt8] {
    var writer = ByteWriter(capacity: Self.byteCount)
    writer.append(Self.magic)
    writer.append([version, Self.sealed, kind.rawValue, 0])
    writer.append(epoch)
    writer.append(nonce)
    writer.u64(UInt64(fileByteCount))
    writer.u64(0)
    return writer.bytes
  }
}

extension SealedOuter {
  /// Reads the outer at the beginning of `bytes`, which may go on.
  ///
  /// - Throws: `.damaged`, `.limitExceeded`, `.refused` for what is not sealed, `.unsupportedVersion`.
  init(decoding bytes: ArraySlice<UInt8>) throws(TreeError) {
    var reader = ByteReader(bytes)
    guard try reader.bytes(4, "magic").elementsEqual(Self.magic) else {
      throw TreeError(.damaged, "it does not begin with OTSG")
    }
    let version = try reader.u8("version")
    if version != Acknowledgement.version { try requireKnown(version, SegmentHeader.version, "version") }
    let suite = try reader.u8("suite")
    guard suite != SegmentHeader.unsealed else {
      throw TreeError(
        .refused, "it is not sealed, and only sealed files are taken from a folder",
        advice: "Remove it, unless another program needs it")
    }
    try requireKnown(suite, Self.sealed, "suite")
    let number = try reader.u8("kind")
    guard let kind = Kind(rawValue: number) else {
      throw TreeError(.unsupportedVersion, "file has the unknown kind \(number)", advice: updateAdvice)
    }
    if kind != .acknowledgement { try requireKnown(version, SegmentHeader.version, "version") }
    guard try reader.u8("reserved byte") == 0 else { throw reader.damaged("reserved byte", "is not 0") }
    (self.kind, self.version) = (kind, version)
    epoch = try reader.bytes16("epoch")
    nonce = Array(try reader.bytes(Sodium.nonceBytes, "nonce"))
    let length = try reader.u64("length")
    guard try reader.u64("reserved bytes") == 0 else { throw reader.damaged("reserved bytes", "are not 0") }
    guard length <= UInt64(kind.maximumFileBytes) else {
      throw TreeError(.limitExceeded, "file is said to have \(length) bytes, beyond \(kind.maximumFileBytes)")
    }
    guard length > Self.byteCount + Sodium.tagBytes else {
      throw TreeError(.damaged, "file is said to have \(length) bytes: too few")
    }
    fileByteCount = Int(length)
  }

  /// The keys of the file's epoch, or the error that says that they are not here.
  func keys(among known: [EpochID: EpochKeys]) throws(TreeError) -> EpochKeys {
    if let keys = known[epoch] { return keys }
    throw TreeError(.notFound, "the key of the epoch \(epoch) is not here", advice: "Sync again when it has come")
  }

  /// What a failed seal says: nothing more can be known.
  static func broken(_ what: String) -> TreeError {
    TreeError(
      .damaged, "\(what) does not agree with its seal: the file was changed, or is not whole yet",
      advice: "It is read again when it changes")
  }
}

extension SealedOuter.Kind {
  /// The longest file of this kind that is written or read.
  var maximumFileBytes: Int {
    switch self {
    case .segment: SealedHeader.end + Padding.paddedCount(Zstd.bound(Limits.segmentBytes)) + Sodium.tagBytes
    case .acknowledgement:
      SealedOuter.byteCount + Padding.paddedCount(Acknowledgement.maximumBytes) + Sodium.tagBytes
    case .checkpoint: SealedHeader.end + Padding.paddedCount(CheckpointPart.byteLimit) + Sodium.tagBytes
    case .chunk: SealedHeader.end + Padding.paddedCount(Chunk.formBytes) + Sodium.tagBytes
    }
  }
}
