import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// A backup of one member of a fleet, in the fleet's folder, sealed by a code: no second is spent on a password.
struct TestBackup {
  let fleet: Fleet
  let path: String
  let secret = BackupSecret.code(RecoveryCode(for: .backup))

  init(_ fleet: Fleet, _ name: String = "backup") {
    self.fleet = fleet
    path = "\(fleet.folder.path)/\(name)"
  }

  @discardableResult
  func append(_ index: Int = 0) throws -> Backup.Report {
    try Backup.append(fleet[index], to: path, sealedBy: secret, profile: .smallest)
  }

  func bytes() throws -> [UInt8] { try FileSystem.readFile(path, maximumBytes: 64 << 20) }

  func put(_ bytes: [UInt8]) throws { try FileSystem.writeFileDurably(path, bytes) }

  func check() throws(TreeError) -> Backup.Summary { try Backup.check(path, secret) }

  /// Restores into a home of the fleet's folder; the caller closes it.
  func restore(
    _ home: String, as identity: Backup.Identity = .nobody, isPatient: Bool = false
  ) throws -> (database: Database, restored: Backup.Restored) {
    let (database, restoring) = try Backup.open(
      "\(fleet.folder.path)/\(home)", for: path, secret, as: identity,
      environment: fleet.members[0].clock.environment, options: Fleet.options)
    do {
      return (database, try restoring.run(into: database, isPatient: isPatient))
    } catch {
      database.close()
      throw error
    }
  }

  /// The same device, with the keys of the member's home.
  func keys(_ index: Int = 0) -> Backup.Identity { .sameDevice(keys: "\(fleet.members[index].home)/device.key") }

  /// Gives each what the other has.
  func exchange(_ one: Database, _ other: Database) throws {
    var random = SeededRandom(seed: 1)
    for _ in 0..<2 {
      try Fleet.send(from: one, to: other, Fleet.Manner(), &random)
      try Fleet.send(from: other, to: one, Fleet.Manner(), &random)
    }
  }

  func expectSame(_ one: Database, _ other: Database) throws {
    #expect(try one.clock() == other.clock())
    #expect(try one.stateHash() == other.stateHash())
    #expect(try one.read { try $0.value(at: .root) } == other.read { try $0.value(at: .root) })
    for database in [one, other] {
      #expect(try database.verify().problems == [])
      #expect(try database.read { try $0.status().waitingCount } == 0)
    }
  }
}

extension Database {
  /// The integer at a path, nil for anything else.
  func number(at path: String) throws -> Int64? {
    guard case .int(let number)? = try read({ try $0.scalar(at: PathKey(path).path) }) else { return nil }
    return number
  }
}
