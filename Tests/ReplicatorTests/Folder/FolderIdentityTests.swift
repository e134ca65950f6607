import Foundation
import OfflineTree
import Testing

@testable import Replicator

/// A folder whose disk is not there is not taken for the folder.
@Suite struct FolderIdentityTests {
  /// Two volumes: what `look` names is under a link, so that what is mounted there can be another.
  private let homes: TestHomes
  private let database: Database
  private let disk: String
  private let below: String
  private let root: String
  private static let memory = "/dev/shm"

  init() throws {
    homes = try TestHomes()
    database = try homes.make("home")
    below = try homes.folder("below")
    disk =
      "\(FileSystem.exists(Self.memory) ? Self.memory : homes.directory)/\(hexadecimal(Sodium.randomBytes(8)))"
    try FileSystem.makeDirectory(disk)
    root = "\(homes.directory)/mount"
    try mount(disk)
    try post("a", on: database)
  }

  private func mount(_ folder: String) throws {
    try FileSystem.remove(root)
    try FileManager.default.createSymbolicLink(atPath: root, withDestinationPath: folder)
  }

  private func end() throws { try FileManager.default.removeItem(atPath: disk) }

  /// Whether there are two file systems to be tried with.
  private static var hasTwo: Bool {
    guard let memory = try? FileSystem.volume(memory),
      let other = try? FileSystem.volume(NSTemporaryDirectory())
    else {
      return false
    }
    return !memory.isSame(as: other)
  }

  @Test(.enabled(if: hasTwo))
  func `an empty folder under a mount that is gone is refused, and nothing is written`() throws {
    defer { try? end() }
    try sync(database, root)
    try mount(below)
    let exchange = homes.exchange(database, with: root)
    for _ in 0..<2 {
      let (report, error) = exchange.exchange()
      #expect(error?.code == .unavailable && report.sent == 0)
      #expect(error?.description.contains("is not the folder that it was") == true)
      #expect(error?.description.contains("Mount it") == true)
    }
    #expect(try files(below: below).isEmpty && FileSystem.list(below).isEmpty)
    try mount(disk)
    try post("b", on: database)
    #expect(exchange.exchange().report.sent == 1)
  }

  @Test(.enabled(if: hasTwo))
  func `what was written under the mount once is not the folder either`() throws {
    defer { try? end() }
    try mount(below)
    try sync(database, root)
    try mount(disk)
    try Replicator(database: database).records.set(nil, remote: "folder \(root)")
    try sync(database, root)
    try mount(below)
    #expect(homes.exchange(database, with: root).exchange().error?.code == .unavailable)
  }

  @Test(.enabled(if: hasTwo))
  func `a folder that was replaced on purpose is taken once it is added again`() throws {
    defer { try? end() }
    let replicator = Replicator(database: database)
    try replicator.addRemote(.folder(path: below))
    try sync(database, below)
    try FileManager.default.removeItem(atPath: below)
    try FileManager.default.createSymbolicLink(atPath: below, withDestinationPath: disk)
    #expect(homes.exchange(database, with: below).exchange().error?.code == .unavailable)
    try FileSystem.remove(below)
    try FileSystem.makeDirectory(below)
    try replicator.addRemote(.folder(path: below))
    try FileSystem.remove(below)
    try FileManager.default.createSymbolicLink(atPath: below, withDestinationPath: disk)
    try sync(database, below)
    #expect(try segments(below: disk).count == 1)
  }

  @Test func `a folder that is made anew on the same disk is filled again`() throws {
    defer { try? end() }
    try sync(database, root)
    for folder in try FileSystem.list(disk) {
      try FileManager.default.removeItem(atPath: "\(disk)/\(folder)")
    }
    #expect(try sync(database, root).sent > 0)
    try FileManager.default.removeItem(atPath: disk)
    try FileSystem.makeDirectory(disk)
    #expect(try sync(database, root).sent > 0)
    #expect(try segments(below: disk).count == 1)
  }

  @Test(.enabled(if: hasTwo))
  func `a stick with another number, and a copy of the folder on another disk, are the folder`()
    throws
  {
    defer { try? end() }
    try sync(database, root)
    // All that tells a volume is another; the files are those that were there.
    try FileManager.default.removeItem(atPath: below)
    try FileManager.default.copyItem(atPath: disk, toPath: below)
    try mount(below)
    #expect(try sync(database, root).sent == 0)
    let known = try #require(try RemoteRecords(database: database).folder(of: "folder \(root)"))
    #expect(try known.volume == FileSystem.volume(below))
    // And that one, emptied, is now the one that is missing.
    try mount(disk)
    for folder in try FileSystem.list(disk) {
      try FileManager.default.removeItem(atPath: "\(disk)/\(folder)")
    }
    #expect(homes.exchange(database, with: root).exchange().error?.code == .unavailable)
  }

  @Test(arguments: ["folder", "full folder", "link"])
  func `whatever has the name of the mark, the exchange goes on`(kind: String) throws {
    defer { try? end() }
    let mark = "\(disk)/\(hexadecimal(database.homeToken.bytes))/.folder"
    let exchange = homes.exchange(database, with: root)
    #expect(exchange.exchange().error == nil)
    try FileSystem.remove(mark)
    switch kind {
    case "link": try FileManager.default.createSymbolicLink(atPath: mark, withDestinationPath: below)
    case "folder": try FileSystem.makeDirectory(mark)
    default:
      try FileSystem.makeDirectory(mark)
      try write([1], "\(mark)/file")
    }
    for number in 0..<2 {
      try post("\(number)", on: database)
      let (report, error) = exchange.exchange()
      #expect(error == nil && report.sent == 1)
      // A link gives way to a mark; what a folder holds nobody removes.
      #expect(report.notes.contains { $0.contains(".folder") } == (kind != "link"), "\(report.notes)")
    }
    #expect(try FileSystem.list(below).isEmpty)
  }

  @Test func `an idle home writes neither the folder nor its database`() throws {
    defer { try? end() }
    try sync(database, root)
    let (commit, names) = (
      try database.lastCommit(), try FileManager.default.subpathsOfDirectory(atPath: disk)
    )
    for _ in 0..<3 { try sync(database, root) }
    #expect(try database.lastCommit() == commit)
    #expect(try FileManager.default.subpathsOfDirectory(atPath: disk) == names)
    #expect(names.contains("\(hexadecimal(database.homeToken.bytes))/.folder"))
  }
}
