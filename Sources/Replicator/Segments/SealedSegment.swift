package import OfflineTree

/// A run of one log's changes as it stands in a file of a shared folder. The layout is in docs/format.md.
package struct SealedSegment: Sendable {
  package let header: SealedHeader
  /// The changes, with the epoch in which they are sealed.
  package let run: ChangeRun

  /// The bytes of the file: O(bytes), which are hashed, compressed and sealed.
  ///
  /// - Parameters:
  ///   - head: The hash of the run's last change, if it is known.
  ///   - random: 32 bytes. If they repeat, no nonce does for other contents.
  /// - Throws: `.invalidArgument` for a run that is empty or not signed, `.limitExceeded` beyond `Limits`.
  package static func seal(
    _ run: ChangeRun, head: Bytes32? = nil, _ keys: EpochKeys, random: [UInt8]
  ) throws(TreeError) -> [UInt8] {
    let segment = try Segment.header(of: run, head: head, space: keys.space)
    var bodies = ByteWriter(capacity: segment.bodyLength)
    Segment.encodeBodies(of: run, to: &bodies)
    let frame = try Zstd.compress(bodies.bytes)
    return seal(
      SealedHeader(epoch: keys.id, segment: segment, frameLength: frame.count), Padding.padded(frame), keys,
      random: random)
  }

  /// Seals whatever it is given.
  static func seal(_ header: SealedHeader, _ body: [UInt8], _ keys: EpochKeys, random: [UInt8]) -> [UInt8] {
    let opened = header.opened
    let nonce = keys.nonce(
      random: random, head: header.segment.head, plaintextHash: Sodium.hash32(opened + body))
    let fileByteCount = SealedHeader.end + body.count + Sodium.tagBytes
    var file = SealedOuter(kind: .segment, epoch: keys.id, nonce: nonce, fileByteCount: fileByteCount).encoded
    file.reserveCapacity(fileByteCount)
    file += Sodium.seal(opened, nonce: nonce, additional: file + keys.space.bytes, keys.header)
    file += Sodium.seal(body, nonce: nonce, additional: file + keys.space.bytes, keys.body)
    return file
  }

  /// Opens and checks a whole file: each step only after the one before, and nothing is allocated beyond `Limits`.
  ///
  /// Whether the signature is the log's device's is for the database to say, which knows the device.
  ///
  /// - Throws: `.notFound` if the epoch's key is not among `known`; `.refused` for what is not sealed; `.damaged`,
  ///   `.limitExceeded`, `.unsupportedVersion`.
  package init(opening file: [UInt8], known: [EpochID: EpochKeys]) throws(TreeError) {
    let outer = try SealedOuter(decoding: file[...])
    guard outer.kind == .segment else { throw TreeError(.damaged, "this is no segment") }
    let keys = try outer.keys(among: known)
    let header = try SealedHeader(opening: file[...], outer, keys)
    guard file.count == outer.fileByteCount else {
      throw TreeError(.damaged, "file has \(file.count) bytes, but is said to have \(outer.fileByteCount)")
    }
    let additional = Array(file[..<SealedHeader.end]) + keys.space.bytes
    guard
      let body = Sodium.open(file[SealedHeader.end...], nonce: outer.nonce, additional: additional, keys.body)
    else { throw SealedOuter.broken("body") }
    guard body[header.frameLength...].allSatisfy({ $0 == 0 }) else {
      throw TreeError(.damaged, "padding is not zero")
    }
    let bodies = try Zstd.decompress(body[..<header.frameLength], byteCount: header.segment.bodyLength)
    var run = try Segment.decodeBodies(bodies[...], header.segment)
    run.epoch = header.epoch
    self.header = header
    self.run = run
  }
}
