package import OfflineTree

/// What a sealed segment holds, readable with its epoch's key from its first 400 bytes. The layout is in docs/format.md.
package struct SealedHeader: Hashable, Sendable {
  package let epoch: EpochID
  package let segment: SegmentHeader
  /// Bytes of the zstd frame that holds the bodies.
  package let frameLength: Int

  /// Bytes of the opened header.
  static let openedCount = 320
  /// Where the sealed header ends and the body begins.
  static let end = SealedOuter.byteCount + openedCount + Sodium.tagBytes

  /// Bytes of the whole file.
  package var fileByteCount: Int { Self.end + Padding.paddedCount(frameLength) + Sodium.tagBytes }

  init(epoch: EpochID, segment: SegmentHeader, frameLength: Int) {
    self.epoch = epoch
    self.segment = segment
    self.frameLength = frameLength
  }

  var opened: [UInt8] {
    var writer = ByteWriter(capacity: Self.openedCount)
    segment.encodePlace(to: &writer)
    writer.u32(UInt32(segment.bodyLength))
    writer.u32(UInt32(frameLength))
    writer.u32(UInt32(segment.count))
    writer.append(segment.signature.bytes)
    writer.append([UInt8](repeating: 0, count: Self.openedCount - writer.count))
    return writer.bytes
  }
}

extension SealedHeader {
  /// Opens the header at the beginning of `file`, which may go on: the seal first, then every length against its limit.
  ///
  /// - Throws: `.damaged` or `.limitExceeded`.
  init(opening file: ArraySlice<UInt8>, _ outer: SealedOuter, _ keys: EpochKeys) throws(TreeError) {
    let opened = try Self.open(file, outer, keys)
    try self.init(decoding: opened, epoch: outer.epoch, space: keys.space)
    guard fileByteCount == outer.fileByteCount else {
      throw TreeError(.damaged, "file is said to have \(outer.fileByteCount) bytes, and needs \(fileByteCount)")
    }
  }

  /// What a sealed header at the beginning of `file` holds, of a segment or of a part of a checkpoint.
  static func open(_ file: ArraySlice<UInt8>, _ outer: SealedOuter, _ keys: EpochKeys) throws(TreeError) -> [UInt8] {
    guard file.count >= end else {
      throw TreeError(.damaged, "header is cut off: \(file.count) bytes of \(end)")
    }
    let additional = Array(file.prefix(SealedOuter.byteCount)) + keys.space.bytes
    let sealed = file.prefix(end).dropFirst(SealedOuter.byteCount)
    guard let opened = Sodium.open(sealed, nonce: outer.nonce, additional: additional, keys.header) else {
      throw SealedOuter.broken("header")
    }
    return opened
  }

  private init(decoding opened: [UInt8], epoch: EpochID, space: SpaceID) throws(TreeError) {
    var reader = ByteReader(opened)
    var frameLength = 0
    segment = try SegmentHeader(reading: &reader, space: space) { reader throws(TreeError) in
      let bodyLength = try reader.u32("opened length")
      frameLength = Int(try reader.u32("zstd length"))
      return (try reader.u32("count"), bodyLength)
    }
    self.epoch = epoch
    self.frameLength = frameLength
    guard frameLength > 0, frameLength <= Zstd.bound(segment.bodyLength) else {
      throw TreeError(.limitExceeded, "zstd frame of \(frameLength) bytes for \(segment.bodyLength) bytes")
    }
    guard reader.rest().allSatisfy({ $0 == 0 }) else {
      throw TreeError(.unsupportedVersion, "segment header says more than this version knows", advice: updateAdvice)
    }
  }
}
