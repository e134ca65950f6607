/// Commits closures in groups, and keeps the state in memory between them. Touched only by the writer thread.
struct WriteGroup<State> {
  let store: Store
  let load: @Sendable (borrowing StoreTransaction) throws -> State
  let beforeCommit: @Sendable (borrowing StoreTransaction, inout State) throws -> Void
  let afterCommit: @Sendable (UInt64) -> Void

  /// The state, and the number of the commit for which it holds.
  private var cached: (state: State, transaction: UInt64)?
  private let clock = ContinuousClock()

  /// Closures in one commit, at most.
  static var jobLimit: Int { 512 }
  /// After this, a group takes no further closure.
  private static var timeLimit: Duration { .milliseconds(100) }
  /// With less room than this on the volume, each closure commits alone, so that one too large fails no other.
  private static var lowSpace: UInt64 { 8 << 20 }

  init(
    store: Store, known: (state: State, transaction: UInt64)?,
    load: @escaping @Sendable (borrowing StoreTransaction) throws -> State,
    beforeCommit: @escaping @Sendable (borrowing StoreTransaction, inout State) throws -> Void,
    afterCommit: @escaping @Sendable (UInt64) -> Void
  ) {
    self.store = store
    cached = known
    self.load = load
    self.beforeCommit = beforeCommit
    self.afterCommit = afterCommit
  }

  /// How one attempt ended for the jobs that it ran.
  private struct Attempt {
    var errors: [(any Error)?] = []
    var state: State
    /// Nil if nothing was written.
    var transaction: UInt64?
    /// The commit before this attempt.
    var base: UInt64
  }

  /// A job that broke the whole transaction.
  private struct Broken: Error {
    let index: Int
    let error: TreeError
  }

  /// Commits the first of `jobs`, as many as fit, and answers them.
  ///
  /// - Parameter onStart: Called once for each job that is answered.
  /// - Returns: The jobs that were not run.
  mutating func commit(_ jobs: [WriteJob<State>], onStart: () -> Void) -> [WriteJob<State>] {
    let hasSpace = (try? FileSystem.freeBytes(store.path)).map { $0 >= Self.lowSpace } ?? true
    var group = hasSpace ? jobs : Array(jobs.prefix(1))
    let left = jobs[group.count...]
    var failed: [(WriteJob<State>, any Error)] = []
    var started = 0
    while true {
      do {
        let attempt = try attempt(group) { index in
          guard index >= started else { return }
          started += 1
          onStart()
        }
        cached = (attempt.state, attempt.transaction ?? attempt.base)
        if let transaction = attempt.transaction { afterCommit(transaction) }
        for (job, error) in zip(group, attempt.errors) { job.answer(error) }
        for (job, error) in failed { job.answer(error) }
        return Array(group[attempt.errors.count...]) + left
      } catch let broken as Broken {
        failed.append((group.remove(at: broken.index), broken.error))
        started -= 1
      } catch {
        cached = nil
        // Without a state nobody was started, and nobody can be.
        let count = started == 0 ? group.count : started
        for _ in started..<count { onStart() }
        for job in group[..<count] { job.answer(error) }
        for (job, error) in failed { job.answer(error) }
        return Array(group[count...]) + left
      }
    }
  }

  /// One transaction: the state, then each job in a child of its own, until the time is over.
  private func attempt(_ group: [WriteJob<State>], onStart: (Int) -> Void) throws -> Attempt {
    try store.write { transaction in
      let base = transaction.identifier - 1
      var attempt = Attempt(state: try current(at: base, in: transaction), base: base)
      let end = clock.now + Self.timeLimit
      for (index, job) in group.enumerated() {
        if index > 0, clock.now >= end { break }
        onStart(index)
        var staged = attempt.state
        do {
          try transaction.withChild { child in try job.run(child, &staged) }
          attempt.errors.append(nil)
          attempt.state = staged
        } catch {
          attempt.errors.append(error)
        }
        if transaction.needsLargerMap { throw Broken(index: index, error: Self.mapIsFull) }
        if let error = transaction.fatalError { throw Broken(index: index, error: error) }
      }
      if transaction.hasChanges { try beforeCommit(transaction, &attempt.state) }
      attempt.transaction = transaction.hasChanges ? transaction.identifier : nil
      return attempt
    }
  }

  private func current(at base: UInt64, in transaction: borrowing StoreTransaction) throws -> State {
    if let cached, cached.transaction == base { return cached.state }
    return try load(transaction)
  }

  private static var mapIsFull: TreeError { TreeError(.full, "The map of the database is too small") }
}
