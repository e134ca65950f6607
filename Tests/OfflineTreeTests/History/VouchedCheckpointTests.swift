import OfflineTree
import TestSupport
import Testing

/// The founder's device vouches for whatever it is told to: the bytes themselves are what is held against each other.
@Suite struct VouchedCheckpointTests {
  private let fleet: Fleet
  private let bundle: CheckpointBundle
  private let plain: [UInt8]

  init() throws {
    fleet = try Fleet(3, seed: 7)
    for index in fleet.members.indices { try fleet[index].setHistoryBlock(2) }
    for round in 0..<12 {
      try fleet.writeRandomly(round % 3)
      try fleet.meetAll()
    }
    bundle = try fleet[0].attest()
    plain = try Zstd.decompress(bundle.checkpoint.pieces[0][...], byteCount: bundle.checkpoint.byteCount)
  }

  private func newcomer() throws -> Database {
    let database = fleet[try fleet.join(by: fleet.invite)]
    try database.setHistoryBlock(2)
    return database
  }

  /// A checkpoint of such bytes, and the founder's word for it.
  private func vouched(_ plain: [UInt8]) throws -> CheckpointBundle {
    let checkpoint = Checkpoint(
      hash: Checkpoint.hash(ofPieces: Sodium.hash32(plain).bytes), clockDigest: bundle.checkpoint.clockDigest,
      byteCount: plain.count, pieces: [try Zstd.compress(plain)])
    let proof = bundle.proof
    let own = LogPosition(log: proof.log, seq: proof.first - 1, hash: proof.hashBefore)
    return CheckpointBundle(
      checkpoint: checkpoint, proof: try fleet[0].vouch(for: checkpoint, behind: own), heads: bundle.heads.inMemory)
  }

  private typealias Record = (kind: UInt8, content: [UInt8])

  private func records() throws -> [Record] {
    var reader = ByteReader(plain)
    var records: [Record] = []
    while !reader.isAtEnd {
      let bytes = try reader.prefixed("record", limit: plain.count)
      records.append((try #require(bytes.first), Array(bytes.dropFirst())))
    }
    return records
  }

  private func bytes(_ records: [Record]) -> [UInt8] {
    var writer = ByteWriter()
    for record in records { writer.prefixed([record.kind] + record.content) }
    return writer.bytes
  }

  /// It is refused as damaged, and nothing has changed.
  private func expectDamaged(
    _ records: [Record], by newcomer: Database, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let bundle = try vouched(bytes(records))
    let error = #expect(throws: TreeError.self, sourceLocation: sourceLocation) {
      try newcomer.begin(with: bundle, floors: [])
    }
    #expect(error?.code == .damaged, "\(String(describing: error))", sourceLocation: sourceLocation)
    #expect(try newcomer.clock().positions.isEmpty, sourceLocation: sourceLocation)
    #expect(try newcomer.read { try $0.genesis() } == nil, sourceLocation: sourceLocation)
  }

  @Test func `the same bytes are taken when they are vouched for anew`() throws {
    let newcomer = try newcomer()
    try newcomer.begin(with: vouched(bytes(records())), floors: [])
    #expect(try newcomer.verify().isSound)
  }

  @Test(arguments: UInt8(7)...17) func `whatever follows where there is no log is refused`(kind: UInt8) throws {
    let newcomer = try newcomer()
    let beginning = Array(try records().prefix(2))
    #expect(beginning.map(\.kind) == [1, 2])
    let path = try #require(try records().first { $0.kind == 12 })
    for content in [[], [0], [0, 0, 0, 1, 0], [UInt8](repeating: 1, count: 40)] as [[UInt8]] {
      try expectDamaged(beginning + [(kind, content)], by: newcomer)
      try expectDamaged(beginning + [path, (kind, content), (17, [])], by: newcomer)
    }
  }

  @Test(arguments: [0, 2, 1_024, 0x3FFF_FFFF] as [UInt32])
  func `a block that says more of itself than it has bytes is refused`(count: UInt32) throws {
    let newcomer = try newcomer()
    let all = try records()
    let place = try #require(all.firstIndex { $0.kind == 4 })
    for more in [0, 1, 2, 0x3FFF_FFFF, .max] as [UInt64] {
      for mark in [0x4000_0000, 0x8000_0000, 0] as [UInt32] {
        var writer = ByteWriter()
        writer.append(Bytes32.zero)
        writer.u32(count | mark)
        writer.varint(more)
        // Its authors, where it is said that no change stays.
        writer.varint(more == 0 ? 0x3FFF_FFFF : 0)
        try expectDamaged(Array(all[...place]) + [(5, writer.bytes)] + all[(place + 1)...], by: newcomer)
      }
    }
  }

  /// Either all of it is taken or nothing is changed; whether it was taken.
  private func take(_ bundle: CheckpointBundle, by newcomer: Database) throws -> Bool {
    do {
      try newcomer.begin(with: bundle, floors: [])
      _ = try newcomer.verify()
      return true
    } catch is TreeError {
      #expect(try newcomer.clock().positions.isEmpty)
      #expect(try newcomer.read { try $0.genesis() } == nil)
      return false
    }
  }

  private func refusals(of all: [[UInt8]]) throws -> Int {
    var (refused, newcomer) = (0, try newcomer())
    for plain in all {
      if try take(vouched(plain), by: newcomer) {
        newcomer = try self.newcomer()
      } else {
        refused += 1
      }
    }
    return refused
  }

  @Test(arguments: [0x01, 0x10, 0x80] as [UInt8]) func `flipped bits are refused or harmless`(bit: UInt8) throws {
    let flipped = stride(from: 0, to: plain.count, by: max(1, plain.count / 100)).map { place in
      var changed = plain
      changed[place] ^= bit
      return changed
    }
    // What of dropped changes nobody can check is believed.
    let refused = try refusals(of: flipped)
    #expect(refused > 30, "\(refused) of \(flipped.count)")
  }

  @Test func `records that are missing, there twice or in another order are refused or harmless`() throws {
    let all = try records()
    var changed: [[UInt8]] = []
    for place in stride(from: 0, to: all.count - 1, by: max(1, all.count / 50)) {
      var (without, twice, swapped) = (all, all, all)
      without.remove(at: place)
      twice.insert(all[place], at: place)
      swapped.swapAt(place, place + 1)
      changed += [bytes(without), bytes(twice), bytes(swapped)]
    }
    #expect(try refusals(of: changed) > 60)
  }
}
