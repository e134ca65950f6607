import OfflineTree
import Testing

#if canImport(Glibc)
  import Glibc

  /// Needs the right to mount a small volume; without it, the tests are skipped, and say so.
  @Suite(.enabled(if: SmallVolume.canMount, "mounting a tmpfs is not permitted here"), .serialized)
  struct FullDiskTests {
    let volume: SmallVolume

    init() throws { volume = try SmallVolume() }

    private func fill(_ queue: WriteQueue<Int>, with bytes: Int) -> (stored: Int, error: TreeError.Code?) {
      for number in 0..<10_000 {
        let code = errorCode {
          try queue.submit { transaction, state in
            try transaction.put(.run, numberKey(state), [UInt8](repeating: 1, count: bytes))
            state += 1
          }
        }
        if let code { return (number, code) }
      }
      return (10_000, nil)
    }

    @Test(arguments: [3_000, 30_000, 300_000]) func `a full disk is an error, and after that the store goes on`(
      size: Int
    ) throws {
      let store = try Store.open(volume.path)
      let queue = WriteQueue<Int>(store, load: { try $0.count(.run) })
      let ballast = "\(volume.path)/ballast"
      try FileSystem.writeFileDurably(ballast, [UInt8](repeating: 1, count: 1_500_000))
      let (stored, code) = fill(queue, with: size)
      #expect(code == .full)
      #expect(stored > 0)
      #expect(try store.read { try $0.count(.run) } == stored)
      #expect(try queue.submit { _, state in state } == stored)
      try FileSystem.remove(ballast)
      try queue.submit { transaction, state in
        try transaction.put(.run, numberKey(state), [UInt8](repeating: 2, count: size))
        state += 1
      }
      try store.read { (transaction) throws in
        #expect(try transaction.count(.run) == stored + 1)
        for number in 0..<stored { #expect(try transaction.get(.run, numberKey(number))?.count == size) }
      }
    }

    /// Takes what room is left.
    private func fillVolume() {
      for size in [1 << 20, 1 << 16, 4_096, 4_096] {
        for _ in 0..<64 {
          let name = "\(volume.path)/ballast-\(hexadecimal(Sodium.randomBytes(8)))"
          if errorCode({ try FileSystem.writeFileDurably(name, [UInt8](repeating: 1, count: size)) }) != nil { break }
        }
      }
    }

    private func nested(_ store: Store, depth: Int) throws -> Int {
      try store.read { (transaction) throws in
        try depth == 0 ? transaction.count(.run) : nested(store, depth: depth - 1)
      }
    }

    @Test func `a store on a full disk opens and serves hundreds of readers`() throws {
      do { try Store.open(volume.path).write { try $0.put(.run, [1], [1]) } }
      fillVolume()
      #expect(try FileSystem.freeBytes(volume.path) == 0)
      #expect(try nested(Store.open(volume.path), depth: 900) == 1)
    }

    @Test func `a store is not made on a full disk, and the process lives`() throws {
      let path = "\(volume.path)/new"
      try FileSystem.makeDirectory(path)
      fillVolume()
      #expect(errorCode { try Store.open(path) } == .full)
    }
  }

  /// A volume of 4 MiB in memory, unmounted with its last reference.
  final class SmallVolume: Sendable {
    private let folder: TemporaryFolder
    let path: String

    static let canMount: Bool = (try? SmallVolume()) != nil

    init() throws {
      folder = try TemporaryFolder()
      path = "\(folder.path)/volume"
      try FileSystem.makeDirectory(path)
      guard Self.run("mount -t tmpfs -o size=4m,mode=700 tmpfs '\(path)' 2>/dev/null") else {
        throw TreeError(.refused, "cannot mount a volume at \(path)")
      }
    }

    deinit { _ = Self.run("umount -l '\(path)'") }

    private static func run(_ command: String) -> Bool { unsafe system(command) == 0 }
  }
#endif
