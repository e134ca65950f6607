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
  /// Makes a home an owner's.
  let recovery = RecoveryCode()

  init() throws {
    directory = NSTemporaryDirectory() + "replicator-\(hexadecimal(Sodium.randomBytes(8)))"
    try FileSystem.makeDirectory(directory)
    shared = "\(directory)/shared"
    try FileSystem.makeDirectory(shared)
  }

  /// Two homes that know each other.
  static func two(
    _ names: (String, String) = ("first", "second"), addOnlySets: [Genesis.AddOnlySet] = []
  ) throws -> (homes: TestHomes, first: Database, second: Database) {
    let homes = try TestHomes()
    return (homes, try homes.make(names.0, addOnlySets: addOnlySets), try homes.make(names.1))
  }

  deinit {
    for database in databases { database.close() }
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// The first home founds the space; each later one is a member that knows, and is known to, all that are there.
  func make(
    _ name: String, addOnlySets: [Genesis.AddOnlySet] = [], environment: OfflineTree.Environment = .system
  ) throws -> Database {
    if invite == nil {
      let founder = try Database.create(
        at: "\(directory)/\(name)", space: "test", addOnlySets: addOnlySets, recovery: recovery, deviceName: name,
        environment: environment, options: Self.options)
      invite = try founder.invite()
      databases.append(founder)
      return founder
    }
    let database = try join(name, environment: environment)
    for other in databases.dropLast() { try give(other, to: database) }
    for other in databases.dropLast() { try give(database, to: other) }
    return database
  }

  /// A home that has joined by an invite, and neither knows nor is known to anybody.
  func join(
    _ name: String, by invite: Invite? = nil, environment: OfflineTree.Environment = .system
  ) throws -> Database {
    let database = try Database.join(
      at: "\(directory)/\(name)", invite: try #require(invite ?? self.invite), deviceName: name,
      environment: environment, options: Self.options)
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

/// Gives a home what another has, by no folder.
func give(_ source: Database, to database: Database) throws {
  var outgoing = try source.outgoing(to: try database.clock())
  while true {
    let runs = try outgoing.next(maximumBytes: 1 << 20, from: source)
    if runs.isEmpty { return }
    let reception = try database.receive(runs, keepBlocked: true)
    try #require(reception.refused.isEmpty)
  }
}

/// How many changes a home has, of all devices.
func changeCount(_ database: Database) throws -> Int {
  try database.clock().positions.reduce(0) { $0 + Int($1.seq) + 1 }
}

func post(_ text: String, _ count: Int = 1, on database: Database) throws {
  for _ in 0..<count {
    try database.write { _ = try $0.push(NewValue(Scalar.string(text)), to: Path("notes")) }
  }
}

func noteCount(_ database: Database) throws -> Int { try database.read { try $0.keys(at: Path("notes")).count } }

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

/// In which epoch a file is sealed, which anybody can see.
func epoch(_ file: [UInt8]) throws -> EpochID { try SealedOuter(decoding: file[...]).epoch }

/// Files of a folder that are sealed in one of these epochs, by name.
func files(below root: String, sealedIn epochs: Set<EpochID>) throws -> [String] {
  try files(below: root).filter { epochs.contains(try epoch(try bytes("\(root)/\($0)"))) }
}

/// All files below a folder that readers look at, by path below it.
func files(below root: String) throws -> [String] {
  try FileManager.default.subpathsOfDirectory(atPath: root)
    .filter { FileSystem.look(at: "\(root)/\($0)")?.kind == .file && !$0.contains("/.") }.sorted()
}

func segments(below root: String) throws -> [String] { try files(below: root).filter { $0.hasSuffix(".seg") } }

/// The segments of a home's own log, in its order.
func segments(ofLogOf database: Database, below root: String) throws -> [(name: String, bytes: [UInt8])] {
  let log = try #require(try database.ownPosition()).log
  return try segments(below: root).map { (name: $0, bytes: try bytes("\(root)/\($0)")) }
    .filter { try header($0.bytes, database).log == log }
    .sorted { try header($0.bytes, database).first < header($1.bytes, database).first }
}

func bytes(_ path: String) throws -> [UInt8] { try FileSystem.readFile(path, maximumBytes: 64 << 20) }

/// Puts a file into a folder, whole at once, and makes the folder that it is in.
func deliver(_ bytes: [UInt8], as name: String, in root: String) throws {
  let parts = name.split(separator: "/")
  if parts.count > 1 { try FileSystem.makeDirectory("\(root)/\(parts[0])", mode: 0o755) }
  try Data(bytes).write(to: URL(fileURLWithPath: "\(root)/\(name)"), options: .atomic)
}

func write(_ bytes: [UInt8], _ path: String) throws { try FileSystem.writeFileDurably(path, bytes) }
