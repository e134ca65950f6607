import OfflineTree
import Testing

@Suite struct StoreTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [StoreOptions.Durability.full, .relaxed, .unsafeNoSync])
  func `what was put is read back after the store was closed and opened again`(
    durability: StoreOptions.Durability
  ) throws {
    let options = StoreOptions(durability: durability)
    let large = Sodium.randomBytes(200_000)
    do {
      let store = try Store.open(folder.path, options: options)
      try store.write { (transaction) throws in
        try transaction.put(.meta, [1], [])
        try transaction.put(.meta, [2], [7, 8, 9])
        try transaction.put(.run, [2], large)
      }
      try store.sync()
    }
    let store = try Store.open(folder.path, options: options)
    try store.read { (transaction) throws in
      #expect(try transaction.get(.meta, [1]) == [])
      #expect(try transaction.get(.meta, [2]) == [7, 8, 9])
      #expect(try transaction.get(.run, [2]) == large)
      #expect(try transaction.get(.log, [2]) == nil)
      #expect(try transaction.count(.meta) == 2)
      #expect(try transaction.isEmpty(.log))
    }
  }

  @Test func `a folder opened twice is one store`() throws {
    let first = try folder.openStore()
    let second = try folder.openStore()
    #expect(first === second)
    #expect(errorCode { try Store.open(folder.path) } == .invalidArgument)
  }

  @Test func `stores that open and close on many threads never meet`() async throws {
    let path = folder.path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          let store = try Store.open(path, options: StoreOptions(durability: .unsafeNoSync))
          try store.write { try $0.put(.meta, numberKey(number), [1]) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try folder.openStore().read { try $0.count(.meta) } == 40)
  }

  @Test func `a write that throws leaves nothing`() throws {
    let store = try folder.openStore()
    #expect(
      errorCode {
        try store.write { (transaction) throws in
          try transaction.put(.meta, [1], [1])
          throw TreeError(.refused, "no")
        }
      } == .refused)
    #expect(try store.read { try $0.isEmpty(.meta) })
  }

  @Test func `a write that changes nothing is no commit`() throws {
    let store = try folder.openStore()
    let before = try store.read { $0.identifier }
    try store.write { (transaction) throws in
      #expect(try !transaction.delete(.meta, [1]))
      try transaction.clear(.meta)
      try transaction.withDraft { try $0.put(.meta, [1], [1]) }
    }
    #expect(try store.read { $0.identifier } == before)
    let written = try store.write { (transaction) throws in
      try transaction.put(.meta, [1], [1])
      return transaction.identifier
    }
    #expect(written == before + 1)
    #expect(try store.read { $0.identifier } == written)
  }

  @Test func `a child that throws is undone, and one that returns is kept`() throws {
    let store = try folder.openStore()
    try store.write { (transaction) throws in
      try transaction.put(.meta, [1], [1])
      try transaction.withChild { (child) throws in
        try child.put(.meta, [2], [2])
        #expect(try child.get(.meta, [1]) == [1])
      }
      #expect(
        errorCode {
          try transaction.withChild { (child) throws in
            try child.put(.meta, [1], [9])
            try child.delete(.meta, [2])
            throw TreeError(.refused, "no")
          }
        } == .refused)
      let seen = try transaction.withDraft { draft in
        try draft.clear(.meta)
        return try draft.isEmpty(.meta)
      }
      #expect(seen)
    }
    try store.read { (transaction) throws in
      #expect(try transaction.get(.meta, [1]) == [1])
      #expect(try transaction.get(.meta, [2]) == [2])
      #expect(try transaction.count(.meta) == 2)
    }
  }

  @Test(arguments: [0, 512, 5_000]) func `a key that LMDB cannot hold is refused, and hurts nothing`(size: Int) throws {
    let store = try folder.openStore()
    let key = [UInt8](repeating: 1, count: size)
    try store.write { (transaction) throws in
      #expect(errorCode { try transaction.put(.meta, key, [1]) } == .limitExceeded)
      try transaction.put(.meta, [1], [1])
    }
    #expect(try store.read { try $0.count(.meta) } == 1)
  }

  @Test func `a key appended out of order is refused`() throws {
    let store = try folder.openStore()
    try store.write { (transaction) throws in
      try transaction.put(.commit, [2], [1], append: true)
      #expect(errorCode { try transaction.put(.commit, [1], [1], append: true) } == .internal)
      try transaction.put(.commit, [3], [1], append: true)
    }
    #expect(try store.read { try $0.count(.commit) } == 2)
  }

  @Test func `a reader sees the commit of its beginning`() throws {
    let store = try folder.openStore()
    try store.write { try $0.put(.meta, [1], [1]) }
    try store.read { (transaction) throws in
      try store.write { try $0.put(.meta, [1], [2]) }
      #expect(try transaction.get(.meta, [1]) == [1])
      #expect(try store.read { try $0.get(.meta, [1]) } == [2])
    }
  }

  @Test func `the numbers of the tables stay`() {
    let names = Table.allCases.map(\.name).joined(separator: " ")
    #expect(Table.allCases.map(\.rawValue) == Array(1...25))
    #expect(
      names
        == "meta log context run void waiting tree hidden priority rival deep part vote hash commit remote control index signature awaited blob need file chunk mark"
    )
  }
}
