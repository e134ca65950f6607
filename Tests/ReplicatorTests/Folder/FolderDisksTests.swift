import Foundation
import OfflineTree
import Testing

@testable import Replicator

/// Several disks that are used at one place by turns, and what stands there while none is.
@Suite struct FolderDisksTests {
  /// The files of this machine, on disks of which a test says which is where.
  private struct Disks: Files {
    let root: String
    private let files = SystemFiles()

    init(root: String) { self.root = root }

    /// Folders beside the link are disks of their own; everything else is on the home's, as is what is below it.
    func volume(of path: String) throws(TreeError) -> FileSystem.Volume {
      guard path.utf8.elementsEqual(root.utf8),
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: root)
      else { return FileSystem.Volume(device: 1, number: 0) }
      return FileSystem.Volume(device: target.hasSuffix("one") ? 2 : target.hasSuffix("two") ? 3 : 1, number: 0)
    }

    func list(_ path: String) throws(TreeError) -> [String] { try files.list(path) }
    func look(at path: String) -> (kind: FileSystem.ItemKind, stamp: FileStamp)? { files.look(at: path) }
    func readStart(_ path: String, count: Int) throws(TreeError) -> (bytes: [UInt8], stamp: FileStamp)? {
      try files.readStart(path, count: count)
    }
    func read(_ path: String, maximumBytes: Int) throws(TreeError) -> [UInt8] {
      try files.read(path, maximumBytes: maximumBytes)
    }
    func writeNew(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(TreeError) {
      try files.writeNew(path, bytes, mode: mode)
    }
    func rename(_ path: String, to name: String) throws(TreeError) { try files.rename(path, to: name) }
    func remove(_ path: String) throws(TreeError) { try files.remove(path) }
    func makeFolder(_ path: String, mode: UInt32) throws(TreeError) -> Bool { try files.makeFolder(path, mode: mode) }
    func syncFolder(_ path: String) throws(TreeError) { try files.syncFolder(path) }
    func pause(milliseconds: UInt32) { files.pause(milliseconds: milliseconds) }
  }

  private let homes: TestHomes
  private let database: Database
  private let root: String

  init() throws {
    homes = try TestHomes()
    root = "\(homes.directory)/mount"
    var environment = OfflineTree.Environment.system
    environment.files = Disks(root: root)
    database = try homes.make("home", environment: environment)
    for name in ["one", "two", "below"] { _ = try homes.folder(name) }
    try post("a", on: database)
  }

  private func mount(_ name: String) throws {
    try FileSystem.remove(root)
    try FileManager.default.createSymbolicLink(atPath: root, withDestinationPath: "\(homes.directory)/\(name)")
  }

  /// The remote is added once more: whatever stands there is taken.
  private func takeNext() throws {
    try Replicator(database: database).records.takeNextFolder(remote: "folder \(root)")
  }

  private func error() throws -> TreeError? { homes.exchange(database, with: root).exchange().error }

  @Test func `a second disk is asked about once, and then both are used by turns`() throws {
    try mount("one")
    try sync(database, root)
    try mount("two")
    let error = try #require(try error())
    #expect(error.code == .unavailable && error.description.contains(".folder"))
    #expect(error.description.contains("by turns") && error.description.contains("once more"))
    #expect(try FileSystem.list("\(homes.directory)/two").isEmpty)
    try takeNext()
    try sync(database, root)
    for name in ["one", "two", "one", "one", "two"] {
      try mount(name)
      try post("more", on: database)
      #expect(try sync(database, root).sent > 0)
    }
    // What is neither is told as before.
    try mount("below")
    #expect(try self.error()?.code == .unavailable)
    #expect(try FileSystem.list("\(homes.directory)/below").isEmpty)
  }

  @Test func `what was written below the mount once is not one of the disks`() throws {
    try mount("below")
    try sync(database, root)
    try takeNext()
    try mount("one")
    try sync(database, root)
    try mount("below")
    #expect(try error()?.code == .unavailable)
    try mount("one")
    #expect(try error() == nil)
  }

  @Test func `more disks than are remembered are asked about again`() throws {
    let records = Replicator(database: database).records
    var folder = RemoteRecords.Folder(Bytes16.zero, before: [], volume: nil)
    for number in 1...20 {
      folder = RemoteRecords.Folder(Sodium.hash16([UInt8(number)]), before: folder.tokens, volume: nil)
    }
    folder.volume = FileSystem.Volume(device: 5, number: 6)
    #expect(folder.tokens.count == RemoteRecords.Folder.tokensKept && folder.tokens.first == Sodium.hash16([20]))
    try records.set(folder, remote: "folder /x")
    #expect(try records.folder(of: "folder /x") == folder)
    try records.takeNextFolder(remote: "folder /x")
    #expect(try records.folder(of: "folder /x")?.volume == nil)
  }
}
