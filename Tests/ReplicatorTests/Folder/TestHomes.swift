import Foundation
import OfflineTree
import Testing

@testable import Replicator

/// Homes of one space and folders that they share, in a temporary folder that goes with it.
final class TestHomes {
  /// What is tested here does not rest on the disk's cache.
  static let options = Database.Options(durability: .unsafeNoSync)

  let directory: String
  let shared: String
  private(set) var databases: [Database] = []
  /// By which the later homes join; there once the first is.
  private(set) var invite: Invite?

  init() throws {
    directory = NSTemporaryDirectory() + "replicator-\(hexadecimal(Sodium.randomBytes(8)))"
    try FileSystem.makeDirectory(directory)
    shared = "\(directory)/shared"
    try FileSystem.makeDirectory(shared)
  }

  deinit {
    for database in databases { database.close() }
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// The first home founds the space, each later one joins it.
  func make(_ name: String, environment: OfflineTree.Environment = .system) throws -> Database {
    let home = "\(directory)/\(name)"
    let database =
      if let invite {
        try Database.join(
          at: home, invite: invite, deviceName: name, environment: environment, options: Self.options)
      } else {
        try Database.create(
          at: home, space: "test", recovery: RecoveryCode(), deviceName: name, environment: environment,
          options: Self.options)
      }
    if invite == nil { invite = try database.invite() }
    databases.append(database)
    return database
  }

  /// Opens a home that stands at `path` already.
  func open(_ path: String) throws -> Database {
    let database = try Database.open(at: path, options: Self.options)
    databases.append(database)
    return database
  }

  func folder(_ name: String) throws -> String {
    let path = "\(directory)/\(name)"
    try FileSystem.makeDirectory(path)
    return path
  }

  func exchange(_ database: Database, with root: String? = nil) -> FolderExchange {
    FolderExchange(database: database, root: root ?? shared)
  }
}

/// One exchange by a home that has never seen the folder, as a new process makes it.
@discardableResult
func sync(_ database: Database, _ root: String) throws -> SyncReport {
  let (report, error) = FolderExchange(database: database, root: root).exchange()
  if let error { throw error }
  return report
}

func post(_ text: String, _ count: Int = 1, on database: Database) throws {
  for _ in 0..<count {
    try database.write { _ = try $0.push(NewValue(Scalar.string(text)), to: Path("notes")) }
  }
}

func stateHash(_ database: Database) throws -> Bytes16 { try database.read { try $0.stateHash() } }

func expectEqual(_ databases: [Database], sourceLocation: SourceLocation = #_sourceLocation) throws {
  let clocks = try databases.map { try $0.clock() }
  let states = try databases.map { try stateHash($0) }
  #expect(Set(clocks).count == 1, "clocks differ", sourceLocation: sourceLocation)
  #expect(Set(states).count == 1, "states differ", sourceLocation: sourceLocation)
}

/// What a home opens files with.
func known(by database: Database) throws -> [EpochID: EpochKeys] {
  Dictionary(uniqueKeysWithValues: try database.epochs().known.map { ($0.id, $0) })
}

/// What a sealed segment says of itself to a home that has its key.
func header(_ file: [UInt8], _ database: Database) throws -> SegmentHeader {
  let outer = try SealedOuter(decoding: file[...])
  return try SealedHeader(opening: file[...], outer, try outer.keys(among: try known(by: database))).segment
}

/// All files below a folder, by path below it.
func files(below root: String) throws -> [String] {
  try FileManager.default.subpathsOfDirectory(atPath: root)
    .filter { FileSystem.look(at: "\(root)/\($0)")?.kind == .file }.sorted()
}

func segments(below root: String) throws -> [String] { try files(below: root).filter { $0.hasSuffix(".seg") } }

func bytes(_ path: String) throws -> [UInt8] { try FileSystem.readFile(path, maximumBytes: 64 << 20) }

func write(_ bytes: [UInt8], _ path: String) throws { try FileSystem.writeFileDurably(path, bytes) }
