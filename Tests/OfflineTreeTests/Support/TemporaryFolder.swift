import OfflineTree

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A folder of a test, in memory where the system has such a place; removed with its last reference.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let base = FileSystem.exists("/dev/shm") ? "/dev/shm" : "/tmp"
    path = "\(base)/offlinetree-test-\(hexadecimal(Sodium.randomBytes(8)))"
    try FileSystem.makeDirectory(path)
  }

  deinit { Self.removeAll(path) }

  /// Opens the store in this folder.
  func openStore(mapSize: Int? = nil) throws -> Store {
    try Store.open(path, options: StoreOptions(durability: .unsafeNoSync, mapSize: mapSize))
  }

  /// Removes a folder and what is in it, as far as that goes: a leftover in a temporary place hurts nobody.
  private static func removeAll(_ path: String) {
    for name in (try? FileSystem.list(path)) ?? [] {
      let item = "\(path)/\(name)"
      if (try? FileSystem.list(item)) != nil { removeAll(item) } else { try? FileSystem.remove(item) }
    }
    try? FileSystem.remove(path)
  }
}

/// The code of the error that `body` throws; nil if it throws none, or another one.
func errorCode<R>(_ body: () throws -> R) -> TreeError.Code? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? TreeError)?.code
  }
}

/// A key of eight bytes that sorts like its number.
func numberKey(_ number: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
