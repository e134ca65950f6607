import OfflineTree
import TestSupport
import Testing

/// What the rows of docs/museum.md share: small writes whose sum tells what was lost and what was counted twice.
enum Museum {
  static let counter = "counter"

  static func increment(_ count: Int = 1, on database: Database, at path: String = counter) throws {
    for _ in 0..<count { try database.write { try $0.increment(Path(path), by: .int(1)) } }
  }

  static func set(_ path: String, _ scalar: Scalar?, on database: Database) throws {
    try database.write { try $0.setValue(scalar.map { NewValue($0) } ?? .null, at: Path(path)) }
  }

  static func scalar(_ path: String, of database: Database) throws -> Scalar? {
    try database.read { try $0.scalar(at: Path(path)) }
  }

  static func json(_ path: String, of database: Database) throws -> String {
    try database.read { try $0.json(at: Path(path)) }
  }

  static func count(of database: Database) throws -> Scalar? { try scalar(counter, of: database) }

  static func isSound(_ database: Database) throws -> Bool { try database.verify().problems.isEmpty }
}
