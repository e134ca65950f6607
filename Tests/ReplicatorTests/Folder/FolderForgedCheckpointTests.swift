import Foundation
import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// What a member, who can seal any file, puts beside the founder's checkpoint hides it from nobody, and nobody hands it on.
@Suite struct FolderForgedCheckpointTests {
  private let homes: TestHomes
  private let founder: Database
  private let liar: Database
  private let keeper: Database
  private let bundle: CheckpointBundle
  private let position: LogPosition

  init() throws {
    homes = try TestHomes()
    (founder, liar, keeper) = (try homes.make("founder"), try homes.make("liar"), try homes.make("keeper"))
    for database in [founder, liar, keeper] { try database.setHistoryBlock(8) }
    try keeper.setHistoryRetention(.all)
    try keeper.upkeep()
    for number in 0..<40 {
      try liar.write { try $0.increment(Path("counter"), by: .int(Int64(number))) }
      try founder.write { try $0.setValue(.string("value \(number)"), at: Path("values/\(number % 7)")) }
    }
    for database in [founder, liar, keeper, founder, liar] { try sync(database, homes.shared) }
    bundle = try founder.attest()
    position = LogPosition(log: bundle.proof.log, seq: bundle.proof.last, hash: bundle.proof.head)
    try sync(founder, homes.shared)
    // A change that has seen the attestation: later than anything that is vouched for.
    try sync(liar, homes.shared)
    try liar.write { try $0.increment(Path("counter"), by: .int(1)) }
    for database in [liar, founder] { try sync(database, homes.shared) }
    for name in try parts(of: founder) { try FileSystem.remove("\(homes.shared)/\(name)") }
  }

  private func parts(of database: Database) throws -> [String] {
    try files(below: homes.shared)
      .filter { $0.hasPrefix(hexadecimal(database.homeToken.bytes)) && $0.hasSuffix(".ckp") }
  }

  private func plant(_ content: [UInt8], _ vouched: LogPosition, in home: Database? = nil) throws {
    let hash = Sodium.hash32(content)
    let whole = CheckpointPart.Whole(vouched: vouched, byteCount: content.count, hashes: [hash])
    let keys = try liar.epochs().current
    let file = CheckpointPart(whole, number: 0, hash: hash).sealed(content, keys, random: Sodium.randomBytes(32))
    let folder = hexadecimal((home ?? liar).homeToken.bytes)
    try deliver(file, as: "\(folder)/\(hexadecimal(Sodium.randomBytes(16))).ckp", in: homes.shared)
  }

  /// The right one, whose check alone is wrong: its beginning is what the founder's device vouches for.
  private var cutShort: [UInt8] {
    var bytes = bundle.encoded
    bytes[bytes.count - 1] ^= 1
    return bytes
  }

  private func isTaken(by name: String) throws -> Bool {
    let newcomer = try homes.join(name)
    try newcomer.keepLittle(block: 8)
    let report = try sync(newcomer, homes.shared)
    #expect(report.notes.count < 12, "\(report.notes.count)")
    #expect(try newcomer.verify().isSound)
    return report.hasBegunWithCheckpoint
  }

  @Test func `a keeper hands on nothing that newcomers refuse, though the founder vouches for the checkpoint in it`()
    throws
  {
    let unsigned = bundle.heads.inMemory.map {
      CheckpointBundle.SignedHead(
        position: $0.position, signature: Signature([UInt8](repeating: 3, count: Signature.byteCount)))
    }
    var longer = try #require(try founder.run(endingAt: position, from: position.seq - 1, maximumBytes: .max))
    longer.signature = bundle.proof.signature
    #expect(longer.bodies.count == 2)
    let wrong = [
      CheckpointBundle(checkpoint: bundle.checkpoint, proof: bundle.proof, heads: unsigned),
      CheckpointBundle(checkpoint: bundle.checkpoint, proof: longer, heads: bundle.heads.inMemory),
    ]
    for bundle in wrong { try plant(bundle.encoded, position) }
    #expect(try !isTaken(by: "first"))
    #expect(try sync(keeper, homes.shared).notes.isEmpty)
    #expect(try keeper.keptCheckpoint() == nil && parts(of: keeper).isEmpty)
    for name in ["checkpoint.new", "checkpoint.trial"] { #expect(!FileSystem.exists("\(keeper.home)/\(name)")) }
    // The right one is found beside them.
    try plant(bundle.encoded, position)
    try sync(keeper, homes.shared)
    #expect(try keeper.keptCheckpoint() == bundle.encoded)
    #expect(try isTaken(by: "second"))
  }

  @Test func `what nobody vouches for keeps nobody from the right one, however much it is`() throws {
    let later = try #require(try liar.writtenPosition())
    for number in 0..<20 { try plant(Array("OTCB \(number)".utf8), later) }
    for number in 0..<20 {
      try plant(bundle.encoded, LogPosition(log: later.log, seq: later.seq + UInt64(number), hash: later.hash))
    }
    try plant(bundle.encoded, position)
    #expect(try isTaken(by: "newcomer"))
    try sync(keeper, homes.shared)
    #expect(try keeper.keptCheckpoint() == bundle.encoded)
  }

  @Test func `what only says that it is newer keeps a keeper from nothing`() throws {
    try plant(bundle.encoded, position)
    let exchange = homes.exchange(keeper)
    #expect(exchange.exchange().error == nil)
    #expect(try keeper.keptCheckpoint() == bundle.encoded && parts(of: keeper).isEmpty)
    for name in try parts(of: liar) { try FileSystem.remove("\(homes.shared)/\(name)") }
    try plant(Array("OTCB".utf8), try #require(try liar.writtenPosition()))
    try plant(cutShort, position)
    // In the keeper's own folder as well.
    try plant(cutShort, position, in: keeper)
    for _ in 0..<2 { #expect(exchange.exchange().error == nil) }
    #expect(try parts(of: keeper).count == 1)
    #expect(try isTaken(by: "newcomer"))
    for _ in 0..<2 { #expect(exchange.exchange().error == nil) }
    #expect(exchange.isQuiet)
  }

  @Test func `the right content under another header does not spoil the right header`() throws {
    let exchange = homes.exchange(keeper)
    try plant(bundle.encoded, try #require(try liar.writtenPosition()))
    #expect(exchange.exchange().error == nil)
    #expect(try keeper.keptCheckpoint() == nil)
    try plant(bundle.encoded, position)
    #expect(exchange.exchange().error == nil)
    #expect(try keeper.keptCheckpoint() == bundle.encoded)
  }

  @Test func `a home whose disk fails at the moment takes it later, and its own is put into the folder meanwhile`()
    throws
  {
    try plant(bundle.encoded, position)
    let exchange = homes.exchange(keeper)
    let blocked = keeper.newCheckpointPath
    try FileSystem.makeDirectory(blocked)
    try write([1], "\(blocked)/something")
    let (report, error) = exchange.exchange()
    #expect(error == nil && report.notes.contains { $0.contains("could not be kept") }, "\(report.notes)")
    // What the home kept before is put back all the same.
    try write(bundle.encoded, "\(keeper.home)/checkpoint")
    for name in try parts(of: liar) { try FileSystem.remove("\(homes.shared)/\(name)") }
    try plant(cutShort, try #require(try liar.writtenPosition()))
    #expect(exchange.exchange().error == nil)
    #expect(try parts(of: keeper).count == 1)
    try FileManager.default.removeItem(atPath: blocked)
    try FileSystem.remove("\(keeper.home)/checkpoint")
    for name in try parts(of: keeper) { try FileSystem.remove("\(homes.shared)/\(name)") }
    try plant(bundle.encoded, position)
    #expect(exchange.exchange().error == nil)
    #expect(try keeper.keptCheckpoint() == bundle.encoded)
  }

  @Test func `old and damaged parts of a keeper go once a newer one stands, whoever put it there`() throws {
    try plant(bundle.encoded, position)
    try sync(keeper, homes.shared)
    for name in try parts(of: liar) { try FileSystem.remove("\(homes.shared)/\(name)") }
    try sync(keeper, homes.shared)
    #expect(try parts(of: keeper).count == 1)
    for number in 0..<90 { try founder.write { try $0.increment(Path("counter"), by: .int(Int64(number))) } }
    let newer = try founder.attest()
    try sync(founder, homes.shared)
    #expect(try parts(of: founder).count == 1)
    let damaged = "\(hexadecimal(keeper.homeToken.bytes))/\(hexadecimal(Sodium.randomBytes(16))).ckp"
    try deliver([UInt8](repeating: 7, count: 1_000), as: damaged, in: homes.shared)
    try sync(keeper, homes.shared)
    #expect(try parts(of: keeper).isEmpty)
    #expect(try keeper.keptCheckpoint() == newer.encoded)
  }
}
