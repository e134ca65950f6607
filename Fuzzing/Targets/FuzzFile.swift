import OfflineTree
import Replicator

/// Files that the targets need, in memory where the system has such a place; gone when they were read.
enum FuzzFile {
  private static var base: String { FileSystem.exists("/dev/shm") ? "/dev/shm" : "/tmp" }

  private static func name() -> String { "\(base)/offlinetree-fuzz-\(Bytes16(Sodium.randomBytes(16)))" }

  static func with(_ bytes: [UInt8], _ body: (String) throws(FuzzFailure) -> Void) throws(FuzzFailure) {
    let path = name()
    defer { try? FileSystem.remove(path) }
    guard attempt({ () throws(TreeError) in try FileSystem.writeFileDurably(path, bytes) }) != nil else {
      throw FuzzFailure("there is no room for a file")
    }
    try body(path)
  }

  /// A store in a folder that is gone: its files live as long as it is open.
  static func trial(block: UInt64) -> CheckpointTrial {
    do {
      return try inFolder { folder in try CheckpointTrial(in: folder, block: block) }
    } catch {
      fatalError("there is no room for a store: \(error)")
    }
  }

  /// A checkpoint of a small space.
  static func checkpoint(block: UInt64) throws -> (file: [UInt8], plaintext: [UInt8]) {
    try inFolder { folder in
      let database = try Database.create(
        at: "\(folder)/home", space: "fuzz", recovery: RecoveryCode(), deviceName: "a",
        options: Database.Options(durability: .unsafeNoSync))
      defer { database.close() }
      try database.setHistoryBlock(block)
      let (number, text) = (try Path("n"), try Path("a/b"))
      for count in 0..<5 { try database.write { try $0.increment(number, by: .int(Int64(count))) } }
      try database.write { try $0.setValue(["c": "text", "d": 1.5], at: text) }
      try database.write { try $0.vote(number, voter: Key("u"), choice: 1) }
      let bundle = try database.attest()
      let piece = try bundle.checkpoint.pieces[0]
      return (bundle.encoded, try Zstd.decompress(piece[...], byteCount: bundle.checkpoint.byteCount))
    }
  }

  private static func inFolder<R>(_ body: (String) throws -> R) throws -> R {
    let folder = name()
    try FileSystem.makeDirectory(folder)
    defer { removeAll(folder) }
    return try body(folder)
  }

  private static func removeAll(_ folder: String) {
    for name in (try? FileSystem.list(folder)) ?? [] {
      let item = "\(folder)/\(name)"
      if (try? FileSystem.list(item)) != nil { removeAll(item) } else { try? FileSystem.remove(item) }
    }
    try? FileSystem.remove(folder)
  }
}
