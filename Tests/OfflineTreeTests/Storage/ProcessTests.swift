import OfflineTree
import Testing

/// Each exit test's body runs in a process of its own, while this one has the store open.
@Suite struct ProcessTests {
  let folder: TemporaryFolder
  let home: Home

  init() throws {
    folder = try TemporaryFolder()
    home = try Home(creating: "\(folder.path)/home")
  }

  @Test func `what another process commits is seen, its map is adopted, and the state is loaded anew`() async throws {
    let store = try home.openStore(StoreOptions(mapSize: 1 << 20))
    let queue = WriteQueue<Int>(store, load: { try $0.count(.run) })
    try await queue.submit { transaction, state in
      try transaction.put(.run, numberKey(state), [1])
      state += 1
    }
    #expect(try store.read { try $0.count(.run) } == 1)
    let path = home.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      let store = try Home(existing: path).openStore(StoreOptions(mapSize: 64 << 20))
      let queue = WriteQueue<Int>(store, load: { try $0.count(.run) })
      for _ in 0..<10 {
        try queue.submit { transaction, state in
          try transaction.put(.run, numberKey(state), [UInt8](repeating: 5, count: 1 << 20))
          state += 1
        }
      }
    }
    // The pooled reader is renewed, and finds a file larger than the map.
    #expect(try store.read { try $0.get(.run, numberKey(10))?.count } == 1 << 20)
    #expect(store.mapSize > 10 << 20)
    #expect(try await queue.submit { _, state in state } == 11)
  }

  @Test func `a writer adopts the larger map of another process`() async throws {
    let store = try home.openStore(StoreOptions(mapSize: 1 << 20))
    let path = home.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      let store = try Home(existing: path).openStore(StoreOptions(mapSize: 64 << 20))
      try store.write { try $0.put(.run, [1], [UInt8](repeating: 5, count: 10 << 20)) }
    }
    try store.write { try $0.put(.run, [2], [1]) }
    #expect(try store.read { try $0.count(.run) } == 2)
  }

  @Test func `the commit of another process wakes this one`() async throws {
    let (wakings, continuation) = AsyncStream<Void>.makeStream()
    let watcher = try WakeWatcher(home) { continuation.yield() }
    let store = try home.openStore()
    let path = home.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      let home = try Home(existing: path)
      let wake = try WakeFile(home)
      let queue = try WriteQueue<Int>(home.openStore(), load: { _ in 0 }, afterCommit: { try? wake.bump($0) })
      try queue.submit { transaction, _ in try transaction.put(.meta, [1], [1]) }
    }
    var iterator = wakings.makeAsyncIterator()
    #expect(await iterator.next() != nil)
    #expect(try store.read { try $0.get(.meta, [1]) } == [1])
    withExtendedLifetime(watcher) {}
  }

  @Test func `a process that dies inside a write leaves nothing, and stops nobody`() async throws {
    let store = try home.openStore()
    let path = home.path
    await #expect(processExitsWith: .failure) { [path = path as String] in
      try Home(existing: path).openStore().write { (transaction) throws in
        try transaction.put(.meta, [1], [1])
        fatalError("dies here")
      }
    }
    try store.write { try $0.put(.meta, [2], [2]) }
    #expect(try store.read { try $0.count(.meta) } == 1)
  }

  @Test func `two processes do not publish one home`() async throws {
    let lock = try PublisherLock(home)
    let path = home.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      #expect(errorCode { try PublisherLock(Home(existing: path)) } == .unavailable)
    }
    withExtendedLifetime(lock) {}
  }
}
