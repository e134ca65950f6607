import OfflineTree
import TestSupport
import Testing

/// A checkpoint that is not what it must be is refused, and changes nothing.
@Suite struct HostileCheckpointTests {
  private let fleet: Fleet
  private let bundle: CheckpointBundle

  init() throws {
    fleet = try Fleet(3, seed: 7)
    for index in fleet.members.indices { try fleet[index].setHistoryBlock(2) }
    for round in 0..<12 {
      try fleet.writeRandomly(round % 3)
      try fleet.meetAll()
    }
    bundle = try fleet[0].attest()
  }

  private func newcomer() throws -> Database {
    let database = fleet[try fleet.join(by: fleet.invite)]
    try database.setHistoryBlock(2)
    return database
  }

  /// It is refused, and the home takes the right one afterwards.
  private func expectRefused(
    _ bundle: CheckpointBundle, by newcomer: Database, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(throws: TreeError.self, sourceLocation: sourceLocation) { try newcomer.begin(with: bundle, floors: []) }
    #expect(try newcomer.clock().positions.isEmpty, sourceLocation: sourceLocation)
    #expect(try newcomer.read { try $0.genesis() } == nil, sourceLocation: sourceLocation)
  }

  private func bundle(
    checkpoint: Checkpoint? = nil, proof: ChangeRun? = nil, heads: [CheckpointBundle.SignedHead]? = nil
  )
    -> CheckpointBundle
  {
    CheckpointBundle(
      checkpoint: checkpoint ?? bundle.checkpoint, proof: proof ?? bundle.proof, heads: heads ?? bundle.heads.inMemory)
  }

  @Test func `flipped bytes and cut bytes of the file are found before anything is read`() throws {
    let bytes = bundle.encoded
    for place in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 300)) {
      var flipped = bytes
      flipped[place] ^= 1
      #expect(throws: TreeError.self) { try CheckpointBundle(decoding: flipped) }
      #expect(throws: TreeError.self) { try CheckpointBundle(decoding: Array(bytes[..<place])) }
    }
  }

  @Test func `another hash, another length and other pieces are refused`() throws {
    let (newcomer, right) = (try newcomer(), bundle.checkpoint)
    var wrong = [
      Checkpoint(hash: .zero, clockDigest: right.clockDigest, byteCount: right.byteCount, pieces: right.pieces),
      Checkpoint(hash: right.hash, clockDigest: .zero, byteCount: right.byteCount, pieces: right.pieces),
      Checkpoint(
        hash: right.hash, clockDigest: right.clockDigest, byteCount: right.byteCount + 1, pieces: right.pieces),
      Checkpoint(
        hash: right.hash, clockDigest: right.clockDigest, byteCount: right.byteCount - 1, pieces: right.pieces),
      Checkpoint(hash: right.hash, clockDigest: right.clockDigest, byteCount: 0, pieces: []),
      Checkpoint(hash: right.hash, clockDigest: right.clockDigest, byteCount: .max, pieces: right.pieces),
      Checkpoint(hash: right.hash, clockDigest: right.clockDigest, byteCount: right.byteCount, pieces: [[1, 2, 3]]),
    ]
    wrong.append(
      Checkpoint(
        hash: right.hash, clockDigest: right.clockDigest, byteCount: right.byteCount,
        pieces: right.pieces.inMemory + [[]]))
    for checkpoint in wrong { try expectRefused(bundle(checkpoint: checkpoint), by: newcomer) }
    try newcomer.begin(with: bundle, floors: [])
    #expect(try newcomer.clock() != VectorClock([]))
  }

  @Test func `changed plaintext for which the hash was made anew is refused: nobody vouches for it`() throws {
    let newcomer = try newcomer()
    let right = bundle.checkpoint
    let plain = try Zstd.decompress(right.pieces[0][...], byteCount: right.byteCount)
    for place in stride(from: 0, to: plain.count, by: max(1, plain.count / 400)) {
      var changed = plain
      changed[place] ^= 0x10
      let hash = Checkpoint.hash(ofPieces: Sodium.hash32(changed).bytes)
      let checkpoint = Checkpoint(
        hash: hash, clockDigest: right.clockDigest, byteCount: changed.count, pieces: [try Zstd.compress(changed)])
      try expectRefused(bundle(checkpoint: checkpoint), by: newcomer)
    }
    // Cut off, and with something behind its end.
    for changed in [Array(plain.dropLast(1)), Array(plain.dropLast(plain.count / 2)), plain + [2, 17]] {
      let checkpoint = Checkpoint(
        hash: Checkpoint.hash(ofPieces: Sodium.hash32(changed).bytes), clockDigest: right.clockDigest,
        byteCount: changed.count, pieces: [try Zstd.compress(changed)])
      try expectRefused(bundle(checkpoint: checkpoint), by: newcomer)
    }
  }

  @Test func `without the founder's word, or with another's, it is refused`() throws {
    let newcomer = try newcomer()
    let proof = bundle.proof
    var unsigned = proof
    unsigned.signature = nil
    try expectRefused(bundle(proof: unsigned), by: newcomer)
    unsigned.signature = Signature([UInt8](repeating: 1, count: Signature.byteCount))
    try expectRefused(bundle(proof: unsigned), by: newcomer)
    try expectRefused(
      bundle(
        proof: ChangeRun(
          log: proof.log, first: proof.first, hashBefore: .zero, bodies: proof.bodies, signature: proof.signature)),
      by: newcomer)
    try expectRefused(
      bundle(
        proof: ChangeRun(
          log: proof.log, first: proof.first, hashBefore: proof.hashBefore, bodies: [], signature: proof.signature)),
      by: newcomer)
    // An older word of the founder's vouches for another state.
    try fleet[0].write { try $0.increment(Path("more"), by: .int(1)) }
    let later = try fleet[0].attest()
    try expectRefused(bundle(checkpoint: later.checkpoint), by: newcomer)
    try expectRefused(bundle(proof: later.proof), by: newcomer)
    // A member's, rightly signed by that member.
    #expect(throws: TreeError.self) { try fleet[1].attest() }
  }

  @Test func `without the founder's word no more than the first piece is opened`() throws {
    let newcomer = try newcomer()
    let right = bundle.checkpoint
    var plain = try Zstd.decompress(right.pieces[0][...], byteCount: right.byteCount)
    plain += [UInt8](repeating: 0, count: Checkpoint.pieceBytes - plain.count)
    // Opened, the second piece would be found to be none.
    let checkpoint = Checkpoint(
      hash: .zero, clockDigest: right.clockDigest, byteCount: plain.count + 10, pieces: [try Zstd.compress(plain), [1]])
    let error = #expect(throws: TreeError.self) {
      try newcomer.begin(with: bundle(checkpoint: checkpoint), floors: [])
    }
    #expect(error?.code == .refused)
    try expectRefused(bundle(checkpoint: checkpoint), by: newcomer)
  }

  @Test func `a signature over what is not there counts for nothing`() throws {
    // The device itself has signed something else, for which there is no place.
    let mine = try fleet[1].writtenPosition()
    let log = try #require(mine?.log)
    let positions = try fleet[0].samples(of: log)
    let forged = (0..<(try #require(positions.last).seq)).map { seq in
      var writer = ByteWriter()
      let hash = Bytes32([UInt8](repeating: UInt8(truncatingIfNeeded: seq), count: 32))
      writer.append(log)
      writer.u64(seq)
      writer.append(hash)
      return CheckpointBundle.SignedHead(
        position: LogPosition(log: log, seq: seq, hash: hash), signature: fleet[1].sign(.head, writer.bytes))
    }
    let newcomer = try fleet.join(by: fleet.invite)
    try fleet[newcomer].setHistoryBlock(2)
    try fleet[newcomer].begin(with: bundle(heads: bundle.heads.inMemory + forged), floors: [])
    #expect(try fleet[newcomer].history().droppedChanges > 0)
    #expect(try fleet[newcomer].verify().isSound)
    try fleet[newcomer].setHistoryRetention(.all)
    try fleet[newcomer].fetch(from: fleet[0])
    #expect(try fleet[newcomer].history().droppedChanges == 0)
    #expect(try fleet[newcomer].verify().isSound)
    // It hands on what it has as any other: nothing of it is refused.
    try fleet.send(from: 0, to: newcomer)
    let next = try fleet.join(by: fleet.invite)
    try fleet.send(from: newcomer, to: next)
    try fleet.send(from: next, to: newcomer)
    #expect(try fleet[next].clock() == fleet[newcomer].clock())
    try fleet.expectEqual(next, newcomer)
  }

  @Test func `signatures of nobody are refused`() throws {
    let newcomer = try newcomer()
    let forged = bundle.heads.inMemory.map {
      CheckpointBundle.SignedHead(
        position: $0.position, signature: Signature([UInt8](repeating: 3, count: Signature.byteCount)))
    }
    try expectRefused(bundle(heads: forged), by: newcomer)
  }

  @Test func `more signatures than there can be blocks are refused before any of them is read`() throws {
    let most = bundle.checkpoint.byteCount / 32
    let head = try #require(bundle.heads.inMemory.first)
    let path = "\(fleet[0].home)/many"
    for (count, isWithin) in [(most, true), (most + 1, false)] {
      let bytes = bundle(heads: [CheckpointBundle.SignedHead](repeating: head, count: count)).encoded
      try FileSystem.writeFileDurably(path, bytes)
      if isWithin {
        #expect(try CheckpointBundle(decoding: bytes).heads.count == count)
        #expect(try CheckpointBundle(reading: LocalFile(reading: path)).heads.count == count)
      } else {
        #expect(throws: TreeError.self) { try CheckpointBundle(decoding: bytes) }
        #expect(throws: TreeError.self) { try CheckpointBundle(reading: LocalFile(reading: path)) }
      }
    }
  }

  @Test func `a home that has begun takes none`() throws {
    #expect(throws: TreeError.self) { try fleet[1].begin(with: bundle, floors: []) }
    try fleet.expectEqual(0, 0)
  }
}
