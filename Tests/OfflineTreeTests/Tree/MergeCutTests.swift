import TestSupport
import Testing

@testable import OfflineTree

struct MergeCutTests {
  @Test func `a long merge is cut into several commits and comes to the same`() throws {
    let folder = try TemporaryFolder()
    let options = Database.Options(durability: .unsafeNoSync)
    let source = try Database.create(
      at: "\(folder.path)/a", space: "test", recovery: RecoveryCode(), deviceName: "a", options: options)
    let invite = try source.invite()
    let other = try Database.join(at: "\(folder.path)/b", invite: invite, deviceName: "b", options: options)
    _ = try other.receive(try runs(source), keepBlocked: false)
    for number in 0..<300 {
      // Each has seen the other's, so that the runs wait for one another.
      try source.write { try $0.increment(try Path("n"), by: .int(1)) }
      if number.isMultiple(of: 50) { _ = try other.receive(try runs(source), keepBlocked: false) }
      try other.write { try $0.setValue(.int(Int64(number)), at: try Path("k\(number % 7)")) }
      if number.isMultiple(of: 50) { _ = try source.receive(try runs(other), keepBlocked: false) }
    }
    _ = try source.receive(try runs(other), keepBlocked: false)

    // Every look at this clock finds that a second has passed.
    let time = Monitor<UInt64>(0)
    var environment = Environment.system
    environment.monotonicClock = {
      time.withLock {
        $0 += 1_000_000_000
        return $0
      }
    }
    let target = try Database.join(
      at: "\(folder.path)/c", invite: invite, deviceName: "c", environment: environment, options: options)
    let before = try target.store.read { $0.identifier }
    let reception = try target.receive(try runs(source).reversed(), keepBlocked: true)
    #expect(reception.blocked.isEmpty)
    #expect(reception.applied == 603)
    #expect(try target.store.read { $0.identifier } >= before + 600 / 64)
    // It has introduced itself at the end.
    _ = try source.receive(try runs(target), keepBlocked: true)
    #expect(try target.clock() == source.clock())
    #expect(try target.read { try $0.stateHash() } == source.read { try $0.stateHash() })
    #expect(try target.verify().isSound)
  }

  private func runs(_ database: Database) throws -> [ChangeRun] {
    var outgoing = try database.outgoing(to: VectorClock([]))
    return try outgoing.next(maximumBytes: .max, from: database)
  }
}
