import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// Files that a member with a changed program seals rightly, and that say what is not so.
@Suite struct FolderRefusalTests {
  let homes: TestHomes
  let first: Database
  let second: Database
  let reader: Database
  let seen: String
  /// What the first device writes next, as it publishes it.
  let right: (name: String, run: ChangeRun, bytes: [UInt8])

  init() throws {
    homes = try TestHomes()
    first = try homes.make("first")
    second = try homes.make("second")
    reader = try homes.make("reader")
    try post("common", on: first)
    try give(first, to: second)
    try give(first, to: reader)
    seen = try homes.folder("seen")
    try sync(reader, seen)
    let exchange = homes.exchange(first)
    #expect(exchange.exchange().error == nil)
    try post("a", 2, on: first)
    #expect(exchange.exchange().error == nil)
    let file = try #require(try segments(ofLogOf: first, below: homes.shared).last)
    right = (file.name, try SealedSegment(opening: file.bytes, known: try known(by: first)).run, file.bytes)
  }

  enum Lie: CaseIterable {
    case signedByAnotherDevice, notSigned, signedElsewhere, changesOfAnotherLog, introductionOfAnotherLog
    case introductionInAnothersLog
  }

  private func file(_ lie: Lie) throws -> [UInt8] {
    var run = right.run
    switch lie {
    case .signedByAnotherDevice: run.signature = try sign(run, by: second)
    case .notSigned: run.signature = Signature(repeatElement(0, count: 64))
    case .signedElsewhere:
      // The first device's own signature, of the change after.
      run = ChangeRun(log: run.log, first: run.first, hashBefore: run.hashBefore, bodies: [run.bodies[0]])
      run.signature = right.run.signature
    case .changesOfAnotherLog:
      try post("b", on: second)
      let foreign = try #require(try lastRun(of: second))
      run = ChangeRun(log: run.log, first: run.first, hashBefore: run.hashBefore, bodies: foreign.bodies)
      run.signature = try sign(run, by: second)
    case .introductionOfAnotherLog:
      run = try introduction(as: Bytes16(repeatElement(1, count: 16)))
    case .introductionInAnothersLog:
      run = try introduction(as: run.log)
    }
    return try SealedSegment.seal(run, try first.epochs().current, random: TestKeys.random)
  }

  /// The second device's introduction as change 0 of another log.
  private func introduction(as log: LogID) throws -> ChangeRun {
    let own = try #require(try second.ownPosition())
    let whole = try #require(try second.run(endingAt: own, from: 0, maximumBytes: 1))
    var run = ChangeRun(log: log, first: 0, hashBefore: second.spaceID, bodies: [whole.bodies[0]])
    run.signature = try sign(run, by: second)
    return run
  }

  private func lastRun(of database: Database) throws -> ChangeRun? {
    let tip = try #require(try database.ownPosition())
    return try database.run(endingAt: tip, from: tip.seq, maximumBytes: 1)
  }

  private func sign(_ run: ChangeRun, by database: Database) throws -> Signature {
    var writer = ByteWriter()
    writer.append(run.log)
    writer.u64(run.last)
    writer.append(run.head)
    return database.sign(.head, writer.bytes)
  }

  @Test(arguments: Lie.allCases)
  func `a file that the database refuses is told by name, changes nothing and holds up nothing`(lie: Lie) throws {
    let name = "forged/\(String(repeating: "a", count: 32)).seg"
    try deliver(try file(lie), as: name, in: seen)
    let before = (try reader.clock(), try stateHash(reader))
    let exchange = homes.exchange(reader, with: seen)
    for _ in 0..<2 {
      let (report, error) = exchange.exchange()
      #expect(error == nil && report.received == 0 && report.holes.isEmpty)
      #expect(report.refused.map(\.name) == [name])
      #expect(report.refused.allSatisfy { $0.error.code == .damaged && !$0.error.context.isEmpty })
      #expect(try reader.clock() == before.0 && stateHash(reader) == before.1)
    }
    // Beside it, the right file is taken at once; so does one that comes in its place.
    try deliver(right.bytes, as: "forged/right.seg", in: seen)
    #expect(exchange.exchange().report.received == 2)
    try deliver(right.bytes, as: name, in: seen)
    #expect(exchange.exchange().report.refused.isEmpty)
    #expect(try stateHash(reader) == stateHash(first))
    #expect(try reader.read { try $0.status() }.forks.isEmpty)
  }
}
