import Foundation
import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// A newcomer begins with a checkpoint that stands in a folder, and with nothing less than a right one.
@Suite struct FolderCheckpointTests {
  private static let block: UInt64 = 8
  private let homes: TestHomes
  private let founder: Database
  private let member: Database
  private let keeper: Database

  init() throws {
    homes = try TestHomes()
    (founder, member, keeper) = (try homes.make("founder"), try homes.make("member"), try homes.make("keeper"))
    for database in [founder, keeper] { try database.setHistoryBlock(Self.block) }
    try member.keepLittle(block: Self.block)
    try keeper.setHistoryRetention(.all)
    try keeper.upkeep()
    try live(60)
    for database in [founder, member, keeper, founder, member] { try sync(database, homes.shared) }
  }

  /// Changes of two devices, each of which has seen the other's.
  private func live(_ count: Int) throws {
    for number in 0..<count {
      try member.write { try $0.increment(Path("counter"), by: .int(Int64(number))) }
      try founder.write { try $0.setValue(.string("value \(number)"), at: Path("values/\(number % 7)")) }
      if number % 20 == 19 { for database in [member, founder, member] { try sync(database, homes.shared) } }
    }
  }

  /// So much that the checkpoint has several parts: text that does not compress to less than three quarters.
  private func writeMuch() throws {
    for number in 0..<12 {
      let alphabet = Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)
      let text = String(decoding: Sodium.randomBytes(1 << 20).map { alphabet[Int($0 & 63)] }, as: UTF8.self)
      try founder.write { try $0.setValue(.string(text), at: Path("much/\(number)")) }
    }
    for database in [founder, member, keeper, founder] { try sync(database, homes.shared) }
  }

  @discardableResult
  private func publish() throws -> [String] {
    try founder.attest()
    try sync(founder, homes.shared)
    return try parts(of: founder)
  }

  private func parts(of database: Database, in root: String? = nil) throws -> [String] {
    try files(below: root ?? homes.shared)
      .filter { $0.hasPrefix(hexadecimal(database.homeToken.bytes)) && $0.hasSuffix(".ckp") }
  }

  private func remove(_ names: [String], where isChosen: (Int) -> Bool) throws {
    for name in names {
      let part = try CheckpointPart.open(bytes("\(homes.shared)/\(name)"), known: known(by: founder)).part
      if isChosen(part.number) { try FileSystem.remove("\(homes.shared)/\(name)") }
    }
  }

  private func newcomer(_ name: String) throws -> Database {
    let database = try homes.join(name)
    try database.keepLittle(block: Self.block)
    return database
  }

  private func expectBegun(
    _ name: String, _ begins: Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> SyncReport {
    let newcomer = try newcomer(name)
    let report = try sync(newcomer, homes.shared)
    #expect(report.hasBegunWithCheckpoint == begins, sourceLocation: sourceLocation)
    #expect(report.holes.isEmpty, "\(report.holes)", sourceLocation: sourceLocation)
    for database in [founder, newcomer] { try sync(database, homes.shared) }
    try expectEqual([founder, newcomer], sourceLocation: sourceLocation)
    #expect(try newcomer.verify().isSound, sourceLocation: sourceLocation)
    #expect(!FileSystem.exists(newcomer.newCheckpointPath), sourceLocation: sourceLocation)
    return report
  }

  @Test func `a newcomer takes it and the tails, and has what one has that read everything`() throws {
    #expect(try publish().count == 1)
    try live(5)
    try sync(founder, homes.shared)
    let report = try expectBegun("with", true)
    #expect(report.notes.isEmpty && report.refused.isEmpty && report.received < 30)
    let with = homes.databases[3]
    #expect(try with.history().droppedChanges >= 48)
    for name in try parts(of: founder) { try FileSystem.remove("\(homes.shared)/\(name)") }
    #expect(try expectBegun("without", false).received > 120)
    try sync(with, homes.shared)
    try expectEqual([with, homes.databases[4]])
    // It is a member like any other.
    try with.write { try $0.increment(Path("counter"), by: .int(1)) }
    for database in [with, founder] { try sync(database, homes.shared) }
    try expectEqual([with, founder])
  }

  @Test func `of dropped changes it wants what not every keeper has acknowledged`() throws {
    try live(40)
    try publish()
    let newcomer = try newcomer("newcomer")
    let report = try sync(newcomer, homes.shared)
    #expect(report.hasBegunWithCheckpoint && report.fetched >= 32)
    #expect(try newcomer.wantedHistory(limit: 1).isEmpty && newcomer.history().droppedChanges > 0)
    // The only keeper's own changes are all wanted.
    try keeper.setHistoryRetention(.little)
    try keeper.upkeep()
    for database in [keeper, founder] { try sync(database, homes.shared) }
    let later = try self.newcomer("later")
    #expect(try sync(later, homes.shared).fetched >= 96)
  }

  @Test(arguments: ["missing", "cut", "empty", "flipped", "header"])
  func `where a part is not right it reads the history, and says so`(damage: String) throws {
    try writeMuch()
    let parts = try publish()
    #expect(parts.count >= 2)
    let path = "\(homes.shared)/\(parts[1])"
    var content = try bytes(path)
    switch damage {
    case "missing": try FileSystem.remove(path)
    case "cut": try write(Array(content.dropLast(100)), path)
    case "empty": try write([], path)
    case "flipped":
      content[content.count / 2] ^= 1
      try write(content, path)
    default:
      content[100] ^= 1
      try write(content, path)
    }
    let report = try expectBegun("newcomer", false)
    #expect(report.notes.contains { $0.contains("the history is read instead") }, "\(report.notes)")
    // Its writer, which reads a part at a time, puts it right.
    let exchange = homes.exchange(founder)
    for _ in parts { #expect(exchange.exchange().error == nil) }
    _ = try expectBegun("later", true)
  }

  @Test func `a part that is gone when it is to be read leaves it the history`() throws {
    let parts = try publish()
    let newcomer = try newcomer("newcomer")
    let exchange = homes.exchange(newcomer)
    _ = try exchange.index.refresh(newcomer.epochs(), now: 0)
    for name in parts { try FileSystem.remove("\(homes.shared)/\(name)") }
    var report = SyncReport()
    #expect(try !exchange.beginWithCheckpoint(&report))
    #expect(report.notes.first?.contains("was not taken") == true)
    #expect(try newcomer.clock().positions.isEmpty)
    try sync(newcomer, homes.shared)
    #expect(try newcomer.history().droppedChanges == 0)
  }

  @Test func `a keeper puts it back where it was lost, and parts of two homes make one`() throws {
    try writeMuch()
    let parts = try publish()
    for database in [keeper, member] { try sync(database, homes.shared) }
    #expect(try self.parts(of: keeper).isEmpty && self.parts(of: member).isEmpty)
    #expect(try keeper.keptCheckpoint() == founder.keptCheckpoint())
    #expect(try member.keptCheckpoint() == nil)
    try remove(parts) { $0 == 0 }
    try sync(keeper, homes.shared)
    let relayed = try self.parts(of: keeper)
    #expect(relayed.count == parts.count)
    // Of the keeper's the one stays that the founder's lack.
    try remove(relayed) { $0 > 0 }
    let newcomer = try newcomer("newcomer")
    #expect(try sync(newcomer, homes.shared).hasBegunWithCheckpoint)
    // And takes it to other folders.
    let other = try homes.folder("other")
    for database in [keeper, member] { try sync(database, other) }
    #expect(try self.parts(of: keeper, in: other).count == parts.count)
    let third = try self.newcomer("third")
    #expect(try sync(third, other).hasBegunWithCheckpoint)
  }

  @Test func `an idle folder costs nothing more, and a newer one takes the place only where it saves enough`() throws {
    let first = try publish()
    let exchange = homes.exchange(founder)
    for _ in 0..<3 { #expect(exchange.exchange().error == nil) }
    #expect(exchange.isQuiet)
    #expect(try parts(of: founder) == first)
    try live(10)
    #expect(try publish() == first)
    try live(60)
    let second = try publish()
    #expect(second.count == 1 && second != first)
    #expect(try parts(of: member).isEmpty && parts(of: keeper).isEmpty)
  }

  @Test func `a home that is older than its checkpoint hands it to nobody`() throws {
    let bundle = try founder.attest()
    try write(bundle.encoded, "\(member.home)/checkpoint")
    #expect(try member.keptCheckpoint() == nil && member.borrowCheckpoint() == nil)
    try write(Array(bundle.encoded.prefix(50)), "\(founder.home)/checkpoint")
    #expect(try founder.keptCheckpoint() == nil)
    #expect(try sync(founder, homes.shared).notes.isEmpty)
    #expect(try parts(of: founder).isEmpty)
  }
}

/// What a member puts there that means no good.
extension FolderCheckpointTests {
  /// Files of a set as a member can seal them, of whatever content.
  private func plant(_ content: [UInt8], _ vouched: LogPosition, hashes: [Bytes32]? = nil) throws {
    let hash = Sodium.hash32(content)
    let whole = CheckpointPart.Whole(vouched: vouched, byteCount: content.count, hashes: hashes ?? [hash])
    let part = CheckpointPart(whole, number: 0, hash: hash)
    let keys = try member.epochs().current
    let file = part.sealed(content, keys, random: Sodium.randomBytes(32))
    try deliver(
      file, as: "\(hexadecimal(member.homeToken.bytes))/\(hexadecimal(Sodium.randomBytes(16))).ckp", in: homes.shared)
  }

  @Test func `a liar's sets are told and left, and the founder's is taken`() throws {
    try publish()
    let right = try #require(try founder.keptCheckpoint())
    let position = try #require(try founder.keptCheckpointFile()).position
    let later = LogPosition(log: position.log, seq: position.seq + 1_000, hash: position.hash)
    var changed = right
    changed[right.count / 2] ^= 1
    try plant(changed, later)
    try plant(Array("OTCB".utf8), later)
    try plant(right, later)
    // Beside the right one, a part that is not of it.
    try plant(changed, position, hashes: [Sodium.hash32(right)])
    let report = try expectBegun("newcomer", true)
    #expect(report.notes.filter { $0.contains("was not taken") }.count == 3, "\(report.notes)")
  }

  @Test func `what another owner than the founder vouches for is not taken`() throws {
    try founder.grant(.owner, to: member.deviceKey)
    for database in [founder, member] { try sync(database, homes.shared) }
    let checkpoint = try member.checkpoint()
    let own = try #require(try member.writtenPosition())
    let proof = try member.vouch(for: checkpoint, behind: own)
    let bundle = CheckpointBundle(checkpoint: checkpoint, proof: proof, heads: [])
    try sync(member, homes.shared)
    try plant(bundle.encoded, LogPosition(log: proof.log, seq: proof.last, hash: proof.head))
    let report = try expectBegun("newcomer", false)
    #expect(report.notes.contains { $0.contains("was not taken") })
    // Nor does a keeper hand it on.
    try sync(keeper, homes.shared)
    #expect(try keeper.keptCheckpoint() == nil)
  }

  @Test func `a kind of file and a checkpoint that a newer program made say update, and the history is read`() throws {
    try publish()
    for name in try files(below: homes.shared) where name.hasSuffix(".ckp") {
      var content = try bytes("\(homes.shared)/\(name)")
      content[6] = 5
      try write(content, "\(homes.shared)/\(name)")
    }
    var newer = try #require(try founder.keptCheckpoint())
    newer[4] += 1
    try plant(newer, try #require(try founder.keptCheckpointFile()).position)
    let report = try expectBegun("newcomer", false)
    #expect(report.refused.contains { $0.error.code == .unsupportedVersion && "\($0.error)".contains("Update") })
    #expect(report.notes.contains { $0.contains("Update this program") }, "\(report.notes)")
  }
}
