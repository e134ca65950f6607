import OfflineTree
import TestSupport

/// A home with files, and random contents that come out the same for the same seed.
struct StorageFixture {
  let folder: OfflineTreeTests.TemporaryFolder
  let database: Database
  var storage: Storage { database.storage }

  init(rules: String = "") throws {
    folder = try OfflineTreeTests.TemporaryFolder()
    database = try Database.create(
      at: "\(folder.path)/a", space: "test", rules: rules, recovery: RecoveryCode(), deviceName: "a",
      options: Database.Options(durability: .unsafeNoSync))
  }

  subscript(path: String) -> StorageReference { storage.reference(withPath: path) }

  /// Bytes that do not compress.
  static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
      var word = random.next()
      for _ in 0..<8 {
        bytes.append(UInt8(truncatingIfNeeded: word))
        word >>= 8
      }
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  static func chunkCount(_ database: Database) throws -> Int {
    try database.read { try $0.chunkCount() }
  }
}

/// The code of the error that `body` throws; nil if it throws none, or another one.
func errorCodeOf<R>(_ body: () async throws -> R) async -> TreeError.Code? {
  do {
    _ = try await body()
    return nil
  } catch {
    return (error as? TreeError)?.code
  }
}
