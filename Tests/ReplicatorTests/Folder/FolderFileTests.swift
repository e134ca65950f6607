import Foundation
import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// Contents of files through a shared folder.
@Suite struct FolderFileTests {
  private static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  private static func exchange(_ database: Database, _ homes: TestHomes) -> SyncReport {
    FolderExchange(database: database, root: homes.shared).exchange().report
  }

  private static func chunkFiles(_ homes: TestHomes) throws -> [String] {
    try FileSystem.list(homes.shared).flatMap { folder in
      try FileSystem.list("\(homes.shared)/\(folder)").filter { $0.hasSuffix(".chk") }
        .map { "\(homes.shared)/\(folder)/\($0)" }
    }
  }

  @Test func `a content goes through a folder, and only to who wants it`() async throws {
    let (homes, first, second) = try TestHomes.two()
    let bytes = Self.noise(1_200_000, seed: 1)
    try await second.storage.setFetching(.onDemand)
    try await first.storage.reference(withPath: "a/b").putData(bytes)
    #expect(Self.exchange(first, homes).notes == [])
    #expect(try Self.chunkFiles(homes).count == 4)
    #expect(Self.exchange(second, homes).chunks == 0)
    let reference = second.storage.reference(withPath: "a/b")
    #expect(try await reference.getMetadata().isHere == false)
    try await second.storage.setFetching(.all)
    #expect(Self.exchange(second, homes).chunks == 4)
    #expect(try await reference.getData(maxSize: .max) == bytes)
    // What the folder holds is not written again.
    #expect(try Self.chunkFiles(homes).count == 4)
  }

  @Test func `who waits for a content gets it at the next exchange`() async throws {
    let (homes, first, second) = try TestHomes.two()
    try await second.storage.setFetching(.onDemand)
    try await first.storage.reference(withPath: "a").putData([1, 2, 3])
    _ = Self.exchange(first, homes)
    _ = Self.exchange(second, homes)
    let reading = StorageTask { _ in try await second.storage.reference(withPath: "a").getData(maxSize: 3) }
    try await eventually("it is asked for") { Self.exchange(second, homes).chunks > 0 }
    #expect(try await reading.value == [1, 2, 3])
  }

  @Test func `a file that is cut or changed is told and left alone, and read once it is whole`() async throws {
    let (homes, first, second) = try TestHomes.two()
    try await second.storage.setFetching(.all)
    try await first.storage.reference(withPath: "a").putData(Self.noise(300_000, seed: 2))
    _ = Self.exchange(first, homes)
    let largest = try #require(
      try Self.chunkFiles(homes).max {
        (FileSystem.look(at: $0)?.stamp.size ?? 0) < (FileSystem.look(at: $1)?.stamp.size ?? 0)
      })
    let whole = try Data(contentsOf: URL(fileURLWithPath: largest))
    try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: largest))
    let report = Self.exchange(second, homes)
    #expect(report.incomplete == 1 && report.chunks == 1)
    var changed = whole
    changed[whole.count - 20] ^= 1
    try changed.write(to: URL(fileURLWithPath: largest))
    #expect(Self.exchange(second, homes).refused.count >= 1)
    #expect(try await second.storage.reference(withPath: "a").getMetadata().isHere == false)
    try whole.write(to: URL(fileURLWithPath: largest))
    #expect(Self.exchange(second, homes).chunks == 1)
    #expect(try await second.storage.reference(withPath: "a").getMetadata().isHere)
  }

  @Test func `files of chunks that nothing needs go after 30 days, and no others`() async throws {
    let homes = try TestHomes()
    let clock = TestClock(now: Int64(Date().timeIntervalSince1970 * 1_000), seed: 1)
    let first = try homes.make("first", environment: clock.environment)
    try await first.storage.reference(withPath: "a").putData([1])
    try await first.storage.reference(withPath: "b").putData([2])
    _ = Self.exchange(first, homes)
    #expect(try Self.chunkFiles(homes).count == 4)
    try await first.storage.reference(withPath: "a").delete()
    _ = Self.exchange(first, homes)
    #expect(try Self.chunkFiles(homes).count == 4)
    clock.advance(by: 2 * Database.chunkGrace)
    _ = Self.exchange(first, homes)
    #expect(try Self.chunkFiles(homes).count == 2)
  }

  @Test func `a sealed chunk opens to what was sealed, and a bit that differs is damage`() throws {
    let keys = TestKeys.epoch()
    let form = Self.noise(1_000, seed: 3)
    let id = Sodium.hash32(form)
    let file = ChunkFile.seal(id, form, keys, random: [UInt8](repeating: 1, count: 32))
    #expect(try ChunkFile.open(file, known: [keys.id: keys]).form == form)
    for place in [0, 5, 20, 70, 300, 410, file.count - 1] {
      var changed = file
      changed[place] ^= 1
      #expect(throws: TreeError.self) { try ChunkFile.open(changed, known: [keys.id: keys]) }
    }
    #expect(throws: TreeError.self) { try ChunkFile.open(Array(file.dropLast()), known: [keys.id: keys]) }
  }
}
