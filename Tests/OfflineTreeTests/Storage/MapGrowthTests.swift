import Dispatch
import OfflineTree
import Synchronization
import Testing

@Suite struct MapGrowthTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.openStore(mapSize: 1 << 20)
  }

  @Test func `the map grows while readers run, and every reader sees whole commits`() throws {
    let store = store
    let queue = WriteQueue<Int>(store, load: { try $0.count(.log) })
    let isDone = Atomic(false)
    let torn = Atomic(0)
    let reads = Atomic(0)
    let readers = DispatchGroup()
    for _ in 0..<3 {
      DispatchQueue(label: "reader").async(group: readers) {
        while !isDone.load(ordering: .relaxed) {
          let isWhole = try? store.read { (transaction) throws in
            let (log, run) = try (transaction.count(.log), transaction.count(.run))
            var rows = 0
            try transaction.withCursor(.run) { (cursor) throws(TreeError) in while try cursor.next() { rows += 1 } }
            return log == run && rows == run
          }
          if isWhole != true { torn.add(1, ordering: .relaxed) }
          reads.add(1, ordering: .relaxed)
        }
      }
    }
    let runs = Atomic(0)
    for number in 0..<60 {
      let count = try queue.submit { transaction, state in
        runs.add(1, ordering: .relaxed)
        for _ in 0..<10 {
          try transaction.put(.log, numberKey(state), [1])
          try transaction.put(.run, numberKey(state), [UInt8](repeating: UInt8(number), count: 20_000))
          state += 1
        }
        return state
      }
      #expect(count == (number + 1) * 10)
    }
    isDone.store(true, ordering: .relaxed)
    readers.wait()
    #expect(torn.load(ordering: .relaxed) == 0)
    #expect(reads.load(ordering: .relaxed) > 0)
    #expect(store.mapSize >= 16 << 20)
    #expect(runs.load(ordering: .relaxed) > 60)
    #expect(try store.read { try $0.count(.run) } == 600)
  }

  @Test func `short readers and askers for the map's size never meet a map that is gone`() throws {
    let isDone = Atomic(false)
    let failures = Atomic(0)
    let threads = DispatchGroup()
    let first = store
    let current = Monitor(first)
    for _ in 0..<2 {
      DispatchQueue(label: "reader").async(group: threads) {
        while !isDone.load(ordering: .relaxed) {
          let store = current.withLock { $0 }
          for _ in 0..<20 {
            let isRead = (try? store.read { try $0.isEmpty(.log) }) == true
            if !isRead || store.mapSize < 1 << 20 { failures.add(1, ordering: .relaxed) }
          }
        }
      }
    }
    for number in 0..<8 {
      let folder = try TemporaryFolder()
      let store = try folder.openStore(mapSize: 1 << 20)
      current.withLock { $0 = store }
      for step in 0..<5 {
        try store.write { try $0.put(.run, [UInt8(number)], [UInt8](repeating: 1, count: 900_000 << step)) }
      }
    }
    isDone.store(true, ordering: .relaxed)
    threads.wait()
    #expect(failures.load(ordering: .relaxed) == 0)
  }

  @Test func `a closure that swallows the error of a full map runs again all the same`() throws {
    let queue = WriteQueue<Int>(store, load: { try $0.count(.log) })
    let failures = Atomic(0)
    let count = try queue.submit { transaction, state in
      do {
        for number in 0..<200 { try transaction.put(.run, numberKey(number), [UInt8](repeating: 1, count: 20_000)) }
      } catch {
        failures.add(1, ordering: .relaxed)
      }
      state += 1
      return state
    }
    #expect(count == 1)
    #expect(failures.load(ordering: .relaxed) > 0)
    #expect(try store.read { try $0.count(.run) } == 200)
  }

  @Test func `one write far beyond the map is stored`() throws {
    try store.write { try $0.put(.run, [1], [UInt8](repeating: 7, count: 12 << 20)) }
    #expect(try store.read { try $0.get(.run, [1]) } == [UInt8](repeating: 7, count: 12 << 20))
  }

  @Test func `a small map adopts a large file`() throws {
    let folder = try TemporaryFolder()
    do {
      let store = try folder.openStore(mapSize: 32 << 20)
      try store.write { try $0.put(.run, [1], [UInt8](repeating: 7, count: 12 << 20)) }
    }
    let store = try folder.openStore(mapSize: 1 << 20)
    #expect(try store.read { try $0.get(.run, [1])?.count } == 12 << 20)
    try store.write { try $0.put(.run, [2], [UInt8](repeating: 7, count: 12 << 20)) }
    #expect(try store.read { try $0.count(.run) } == 2)
  }

  @Test func `a reader inside a reader passes while the map waits to grow`() throws {
    let store = store
    let writing = DispatchGroup()
    try store.read { (transaction) throws in
      DispatchQueue(label: "writer").async(group: writing) {
        _ = try? store.write { try $0.put(.run, [1], [UInt8](repeating: 7, count: 4 << 20)) }
      }
      // The outer reader keeps the map small; inner ones go on, whatever the writer waits for.
      for _ in 0..<2_000 { #expect(try store.read { try $0.isEmpty(.run) }) }
      #expect(try transaction.isEmpty(.run))
    }
    writing.wait()
    #expect(try store.read { try $0.count(.run) } == 1)
  }
}
