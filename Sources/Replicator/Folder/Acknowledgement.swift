package import OfflineTree

/// What one home has, in its own words: a small sealed file in a shared folder. The layout is in docs/format.md.
package struct Acknowledgement: Sendable {
  package let peer: PeerIdentity
  /// The highest one of a home is its latest.
  package let counter: UInt64
  /// The device's wall clock when it wrote this, in milliseconds since 1970.
  package let wallTime: Int64
  package let clock: VectorClock
  /// The state hash that belongs to the clock; nil from a program that did not say it yet.
  package let state: Bytes16?
  /// Of the whole clock, however much of it is kept.
  package let clockDigest: Bytes32

  static let maximumPositions = 65_536
  /// Of what is sealed, before it is padded.
  static let maximumBytes = 96 + Limits.nameBytes + 56 * maximumPositions + Signature.byteCount
  /// With a state hash; before it was 1, which is read for ever.
  static let version: UInt8 = 2

  package init(peer: PeerIdentity, counter: UInt64, wallTime: Int64, clock: VectorClock, state: Bytes16? = nil) {
    (self.peer, self.counter, self.wallTime, self.clock, self.state) = (peer, counter, wallTime, clock, state)
    clockDigest = clock.digest
  }

  private init(_ whole: Acknowledgement, clock: VectorClock) {
    (peer, counter, wallTime, self.clock) = (whole.peer, whole.counter, whole.wallTime, clock)
    (state, clockDigest) = (whole.state, whole.clockDigest)
  }

  /// The bytes of the file.
  ///
  /// - Parameter sign: Signs for `SignaturePurpose.acknowledge`, by the key of the device that it names.
  package func sealed(_ keys: EpochKeys, random: [UInt8], sign: ([UInt8]) -> Signature) -> [UInt8] {
    let said = encoded
    let body = Padding.padded(said + sign(Self.signedContent(said[...])).bytes)
    let nonce = keys.nonce(random: random, head: .zero, plaintextHash: Sodium.hash32(body))
    let outer = SealedOuter(
      kind: .acknowledgement, version: state == nil ? SegmentHeader.version : Self.version, epoch: keys.id,
      nonce: nonce,
      fileByteCount: SealedOuter.byteCount + body.count + Sodium.tagBytes
    ).encoded
    return outer + Sodium.seal(body, nonce: nonce, additional: outer + keys.space.bytes, keys.body)
  }

  /// Positions of our own logs that are kept of what another home says: more than it has reason to name.
  static let keptPositions = 256

  /// The same, with what it says of these logs.
  func limited(to logs: Set<LogID>) -> Acknowledgement {
    let own = clock.positions.lazy.filter { logs.contains($0.log) }.prefix(Self.keptPositions)
    return Acknowledgement(self, clock: VectorClock(Array(own)))
  }

  /// What is signed of the bytes before the signature.
  private static func signedContent(_ said: ArraySlice<UInt8>) -> [UInt8] { Sodium.hash32(Array(said)).bytes }

  private var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 160 + 56 * clock.positions.count)
    writer.append(peer.homeToken)
    writer.append(peer.deviceKey)
    writer.u64(counter)
    writer.u64(UInt64(bitPattern: wallTime))
    writer.prefixed(peer.name)
    clock.encode(to: &writer)
    if let state { writer.append(state) }
    return writer.bytes
  }
}

extension Acknowledgement {
  /// Opens and checks a whole file, the signature of the device that it names included. Whether that device is a member is
  /// for the database to say.
  ///
  /// - Throws: `.notFound` if the epoch's key is not among `known`; `.refused` for what is not sealed; `.damaged`,
  ///   `.limitExceeded`, `.unsupportedVersion`.
  package init(opening file: [UInt8], known: [EpochID: EpochKeys]) throws(TreeError) {
    let outer = try SealedOuter(decoding: file[...])
    guard outer.kind == .acknowledgement else { throw TreeError(.damaged, "this is no acknowledgement") }
    let keys = try outer.keys(among: known)
    guard file.count == outer.fileByteCount else {
      throw TreeError(.damaged, "file has \(file.count) bytes, but is said to have \(outer.fileByteCount)")
    }
    let additional = Array(file[..<SealedOuter.byteCount]) + keys.space.bytes
    let sealed = file[SealedOuter.byteCount...]
    guard let body = Sodium.open(sealed, nonce: outer.nonce, additional: additional, keys.body) else {
      throw SealedOuter.broken("acknowledgement")
    }
    try self.init(decoding: body, hasState: outer.version == Self.version, space: keys.space)
  }

  private init(decoding body: [UInt8], hasState: Bool, space: SpaceID) throws(TreeError) {
    var reader = ByteReader(body)
    let token = try reader.bytes16("home token")
    let deviceKey = try reader.bytes32("device key")
    counter = try reader.u64("counter")
    wallTime = Int64(bitPattern: try reader.u64("wall time"))
    let name = try reader.prefixed("device name", limit: Limits.nameBytes)
    guard let name = String(validating: name, as: UTF8.self) else {
      throw reader.damaged("device name", "is not valid UTF-8")
    }
    peer = PeerIdentity(deviceKey: deviceKey, name: name, homeToken: token)
    clock = try VectorClock(decoding: &reader)
    clockDigest = clock.digest
    state = hasState ? try reader.bytes16("state hash") : nil
    let said = body[..<reader.position]
    let signature = Signature(try reader.bytes(Signature.byteCount, "signature"))
    guard Padding.paddedCount(reader.position) == body.count, reader.rest().allSatisfy({ $0 == 0 }) else {
      throw reader.damaged("padding", "is not what it must be")
    }
    let message = SignaturePurpose.acknowledge.message(space, Self.signedContent(said))
    guard Sodium.isValid(signature, of: message, byUnknown: deviceKey) else {
      throw TreeError(
        .damaged, "it is not signed by the device that it names",
        advice: "Somebody else wrote it: it counts for nothing, and can be removed")
    }
  }
}

extension VectorClock {
  func encode(to writer: inout ByteWriter) {
    writer.varint(positions.count)
    for position in positions {
      writer.append(position.log)
      writer.u64(position.seq)
      writer.append(position.hash)
    }
  }

  init(decoding reader: inout ByteReader) throws(TreeError) {
    let count = try reader.count("count of positions", limit: Acknowledgement.maximumPositions)
    guard reader.remaining >= 56 * count else { throw reader.damaged("clock", "is cut off") }
    var positions: [LogPosition] = []
    positions.reserveCapacity(count)
    for _ in 0..<count {
      let log = try reader.bytes16("log")
      let seq = try reader.u64("number")
      let position = LogPosition(log: log, seq: seq, hash: try reader.bytes32("hash"))
      if let last = positions.last, last >= position { throw reader.damaged("clock", "is not sorted") }
      positions.append(position)
    }
    self.init(positions)
  }
}
