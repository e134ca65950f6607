import Foundation
import Testing

@testable import OfflineTree

/// Replacing a database, while a program that does not know `open.lock` has it open or wants to. Such a program is the store's
/// environment alone. Each exit test's body runs in a process of its own.
@Suite struct OpenLockTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.openStore().write { try $0.put(.meta, [1], [1]) }
  }

  @Test func `what an older program has open is not replaced`() async throws {
    let path = folder.path
    let opened = unsafe try openAsBefore(path)
    await #expect(processExitsWith: .success) { [path = path as String] in
      #expect(errorCode { try OpenLock(path, isAlone: true) } == .unavailable)
      #expect(errorCode { try Store.shrink(path) { _, _ in } } == .unavailable)
      #expect(errorCode { try OpenLock(path, isAlone: false) } == nil)
    }
    unsafe withExtendedLifetime(opened) {}
  }

  @Test func `who comes while it is replaced does not open it, and the next one does`() async throws {
    let path = folder.path
    let table = try FileSystem.identity("\(path)/lock.mdb")
    do {
      let lock = try OpenLock(path, isAlone: true)
      await #expect(processExitsWith: .success) { [path = path as String] in
        #expect(errorCode { try Store.open(path) } == .unavailable)
        let file = unsafe open("\(path)/lock.mdb", O_RDWR)
        var wanted = flock()
        wanted.l_type = Int16(F_RDLCK)
        wanted.l_whence = Int16(SEEK_SET)
        wanted.l_len = 1
        #expect(unsafe fcntl(file, F_SETLK, &wanted) == -1)
      }
      withExtendedLifetime(lock) {}
    }
    #expect(try FileSystem.identity("\(path)/lock.mdb") == table)
    #expect(try folder.openStore().read { try $0.get(.meta, [1]) } == [1])
  }

  #if os(Linux)
    @Test(.timeLimit(.minutes(60)))
    func `an older program that waited meanwhile is refused, and goes on with nothing stale`() async throws {
      let path = folder.path
      let waiting: Task<Void, Never>
      do {
        let lock = try OpenLock(path, isAlone: true)
        waiting = Task {
          await #expect(processExitsWith: .success) { [path = path as String] in
            let code = errorCode { _ = unsafe try openAsBefore(path) }
            #expect(code != nil)
          }
        }
        let inode = try FileSystem.identity("\(path)/lock.mdb").inode
        var isWaiting = false
        // As long as it takes for the other process to have its turn, without a thread that others need.
        while !isWaiting {
          let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
          isWaiting = locks.split(separator: "\n").contains { $0.contains(" -> ") && $0.contains(":\(inode) ") }
          if !isWaiting { try await Task.sleep(for: .milliseconds(10)) }
        }
        withExtendedLifetime(lock) {}
      }
      await waiting.value
      #expect(try folder.openStore().read { try $0.get(.meta, [1]) } == [1])
    }
  #endif
}

/// Opens a database as versions did that knew no `open.lock`.
@unsafe private func openAsBefore(_ path: String) throws -> Store.Opened {
  unsafe try Store.openEnvironment(path, StoreOptions(mapSize: 1 << 20))
}
