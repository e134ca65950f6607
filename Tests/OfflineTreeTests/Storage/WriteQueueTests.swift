import Dispatch
import OfflineTree
import Synchronization
import Testing

@Suite struct WriteQueueTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.openStore()
  }

  /// A queue whose state is the number of rows in `log`.
  private func countingQueue(afterCommit: @escaping @Sendable (UInt64) -> Void = { _ in }) -> WriteQueue<Int> {
    WriteQueue(store, load: { try $0.count(.log) }, afterCommit: afterCommit)
  }

  private static func append(_ transaction: borrowing StoreTransaction, _ state: inout Int) throws -> Int {
    try transaction.put(.log, numberKey(state), numberKey(state), append: true)
    state += 1
    return state
  }

  @Test func `a submitted closure is answered when its commit can be read`() throws {
    let queue = countingQueue()
    #expect(try queue.submit { transaction, state in try Self.append(transaction, &state) } == 1)
    #expect(try store.read { try $0.count(.log) } == 1)
    #expect(try queue.submit { transaction, state in try Self.append(transaction, &state) } == 2)
  }

  @Test func `writers on threads and in tasks are all answered and durable`() async throws {
    let queue = countingQueue()
    let store = store
    let results = Monitor<[Int]>([])
    let submitAndWait: @Sendable () throws -> Int = { try queue.submit { try Self.append($0, &$1) } }
    async let threads: Void = withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
          for _ in 0..<50 {
            guard let number = try? submitAndWait() else { continue }
            let isVisible = (try? store.read { try $0.get(.log, numberKey(number - 1)) }) != nil
            if isVisible { results.withLock { $0.append(number) } }
          }
        }
        continuation.resume()
      }
    }
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<400 { group.addTask { try await queue.submit { try Self.append($0, &$1) } } }
      for try await number in group { results.withLock { $0.append(number) } }
    }
    await threads
    #expect(results.withLock { $0.sorted() } == Array(1...800))
    #expect(try await queue.submit { transaction, _ in try transaction.count(.log) } == 800)
  }

  @Test func `a closure that fails is undone, and its neighbours in the group are kept`() throws {
    let commits = Monitor<[UInt64]>([])
    let queue = countingQueue { number in commits.withLock { $0.append(number) } }
    let outcomes = Monitor<[Int: TreeError.Code?]>([:])
    let arrived = Atomic(0)
    let callers = DispatchGroup()
    // The first closure holds the thread until the others are about to wait: they become few groups.
    DispatchQueue.global().async(group: callers) {
      _ = try? queue.submit { transaction, state in
        while arrived.load(ordering: .relaxed) < 20 {}
        return try Self.append(transaction, &state)
      }
    }
    for number in 0..<20 {
      DispatchQueue(label: "caller").async(group: callers) {
        arrived.add(1, ordering: .relaxed)
        let code = errorCode {
          try queue.submit { transaction, state in
            let count = try Self.append(transaction, &state)
            if number % 2 == 0 { throw TreeError(.refused, "number \(number)") }
            return count
          }
        }
        outcomes.withLock { $0[number] = .some(code) }
      }
    }
    callers.wait()
    for number in 0..<20 { #expect(outcomes.withLock { $0[number] } == (number % 2 == 0 ? .refused : .some(nil))) }
    #expect(try store.read { try $0.count(.log) } == 11)
    #expect(try queue.submit { _, state in state } == 11)
    let numbers = commits.withLock { $0 }
    #expect(numbers == numbers.sorted())
    #expect(try store.read { $0.identifier } == numbers.last)
  }

  @Test func `the state is loaded anew when somebody else has committed`() throws {
    let queue = countingQueue()
    #expect(try queue.submit { try Self.append($0, &$1) } == 1)
    try store.write { (transaction) throws in
      for number in 1..<10 { try transaction.put(.log, numberKey(number), [1]) }
    }
    #expect(try queue.submit { try Self.append($0, &$1) } == 11)
  }

  @Test func `a state that is known holds until somebody else has committed`() throws {
    let commit = try store.read { $0.identifier }
    let queue = WriteQueue<Int>(store, known: (100, commit), load: { try $0.count(.log) })
    #expect(try queue.submit { _, state in state } == 100)
    try store.write { try $0.put(.log, numberKey(0), [1]) }
    #expect(try queue.submit { _, state in state } == 1)
    let late = WriteQueue<Int>(store, known: (100, commit), load: { try $0.count(.log) })
    #expect(try late.submit { _, state in state } == 1)
  }

  @Test func `a queue that never had work closes, and refuses`() throws {
    let queue = countingQueue()
    queue.close()
    #expect(errorCode { try queue.submit { try Self.append($0, &$1) } } == .unavailable)
    #expect(!queue.isCallerWaiting)
  }

  @Test func `a state that cannot be loaded is the callers' error, until it can`() throws {
    let isBroken = Atomic(true)
    let queue = WriteQueue<Int>(
      store,
      load: { _ in
        if isBroken.load(ordering: .relaxed) { throw TreeError(.damaged, "no state") }
        return 5
      })
    #expect(errorCode { try queue.submit { _, state in state } } == .damaged)
    isBroken.store(false, ordering: .relaxed)
    #expect(try queue.submit { _, state in state } == 5)
  }

  @Test func `callers hear of a commit after the hook has`() throws {
    let hooked = Monitor<UInt64>(0)
    let queue = countingQueue { number in hooked.withLock { $0 = number } }
    for _ in 0..<20 {
      let number = try queue.submit { transaction, state in
        _ = try Self.append(transaction, &state)
        return transaction.identifier
      }
      #expect(hooked.withLock { $0 } == number)
    }
  }

  @Test func `a long closure is told that a caller waits`() async throws {
    let queue = countingQueue()
    let hasStarted = DispatchSemaphore(value: 0)
    async let long = queue.submit { _, _ in
      hasStarted.signal()
      while !queue.isCallerWaiting {}
      return true
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        hasStarted.wait()
        continuation.resume()
      }
    }
    #expect(try await queue.submit { try Self.append($0, &$1) } == 1)
    #expect(try await long)
    #expect(!queue.isCallerWaiting)
  }

  @Test func `closing runs what is queued, and refuses what comes later`() async throws {
    let queue = countingQueue()
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<100 { group.addTask { try await queue.submit { try Self.append($0, &$1) } } }
      var count = 0
      for try await _ in group { count += 1 }
      return count
    }
    queue.close()
    queue.close()
    #expect(count == 100)
    #expect(errorCode { try queue.submit { try Self.append($0, &$1) } } == .unavailable)
    await #expect(throws: TreeError.self) { try await queue.submit { try Self.append($0, &$1) } }
    #expect(try store.read { try $0.count(.log) } == 100)
  }

  @Test func `a closure that breaks the promise of an append hurts only itself`() throws {
    let queue = countingQueue()
    #expect(try queue.submit { try Self.append($0, &$1) } == 1)
    #expect(
      errorCode { try queue.submit { transaction, _ in try transaction.put(.log, [0], [], append: true) } } == .internal
    )
    #expect(try queue.submit { try Self.append($0, &$1) } == 2)
  }

  @Test func `submitting inside a closure of the same queue ends the process with a sentence`() async throws {
    let path = folder.path
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = path as String] in
      let queue = try WriteQueue<Int>(Store.open(path), load: { _ in 0 })
      _ = try queue.submit { _, _ in try queue.submit { _, _ in 1 } }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.contains("submit was called from inside a closure of the same queue"))
  }
}
