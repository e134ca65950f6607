/// The net effect of a sequence of operations, stored as one encoding for one effect (docs/merge.md).
///
/// Operations are appended in the order in which they take effect; `operations` is their normal form.
/// Appending costs O(levels of the path + what it takes back).
package struct NormalForm {
  private var clears: Set<PathKey> = []
  private var puts = PathMap<Scalar>()
  private var increments = PathMap<ExactSum>()
  private var votes = PathMap<[Key: Int8]>()
  private var priorities = PathMap<NewPriority>()
  private var files: [FileName: NewFile] = [:]
  /// Every path with an addition.
  private var occupied: Set<PathKey> = []
  /// Every path above an addition: says quickly that nothing can be below a path.
  private var aboveOccupied: Set<PathKey> = []
  /// Every path above a clear. A clear that is gone may leave its own behind: then a look costs more, nothing else.
  private var aboveClears: Set<PathKey> = []

  /// The fewest levels of a path with an addition: nothing of this change is above a path with as few.
  private var fewestLevels = Int.max

  /// A priority that is set, where null is a choice.
  private struct NewPriority {
    let value: Scalar?
  }

  /// What a file is to be, where nil removes it.
  private struct NewFile {
    let content: FileContent?
  }

  package init() {}

  package var isEmpty: Bool {
    clears.isEmpty && puts.isEmpty && increments.isEmpty && votes.isEmpty && priorities.isEmpty && files.isEmpty
  }

  /// Can what was appended so far change what is shown at `path`, above or below it?
  package func touches(_ path: PathKey) -> Bool {
    if occupied.contains(path) || aboveOccupied.contains(path) { return true }
    for ancestor in path.ancestors + [path] {
      if clears.contains(ancestor) || occupied.contains(ancestor) { return true }
    }
    return aboveClears.contains(path)
  }

  /// Can what was appended so far turn a number, or nothing, at `path` into something else?
  ///
  /// Unlike `touches`, not by increments and votes at the path itself: so many of them cost no look at a draft.
  package func mayHideNumber(at path: PathKey) -> Bool {
    if aboveOccupied.contains(path) || aboveClears.contains(path) { return true }
    if puts.isEmpty && clears.isEmpty { return false }
    return (path.ancestors + [path]).contains { clears.contains($0) || puts.contains($0) }
  }

  package mutating func append(_ operation: Operation) {
    switch operation {
    case .clear(let path):
      wipe(path)
      addClear(path)
    case .put(let path, let value):
      wipe(path)
      takeBackAbove(path)
      puts[path] = value
      occupy(path)
    case .increment(let path, let number):
      takeBackAbove(path)
      increments.update(path, initial: ExactSum()) { $0.add(number) }
      occupy(path)
    case .vote(let path, let voter, let choice):
      if choice != 0 { takeBackAbove(path) }
      votes.update(path, initial: [:]) { $0[voter] = choice }
      occupy(path)
    case .priority(let path, let value):
      priorities[path] = NewPriority(value: value)
      occupy(path)
    case .file(let name, let content):
      // Beside the tree: nothing that is written there touches it.
      files[name] = NewFile(content: content)
    }
  }

  /// Sorted: clears, puts, increments, votes, priorities, files, each by path.
  package var operations: [Operation] {
    var result: [Operation] = []
    result.reserveCapacity(clears.count + puts.count + increments.count + votes.count + priorities.count + files.count)
    for path in clears.sorted() where !isAtOrBelowPut(path) { result.append(.clear(path)) }
    for (path, value) in puts.sorted { result.append(.put(path, value)) }
    for (path, sum) in increments.sorted { result.append(.increment(path, by: sum.value)) }
    for (path, ballots) in votes.sorted {
      let byVoter =
        ballots.count > 1 ? ballots.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } : Array(ballots)
      for (voter, choice) in byVoter { result.append(.vote(path, voter: voter, choice: choice)) }
    }
    for (path, priority) in priorities.sorted { result.append(.priority(path, priority.value)) }
    for (name, file) in files.sorted(by: { $0.key < $1.key }) { result.append(.file(name, file.content)) }
    return result
  }

  private func isAtOrBelowPut(_ path: PathKey) -> Bool {
    !puts.isEmpty && (puts.contains(path) || path.ancestors.contains { puts.contains($0) })
  }

  private mutating func occupy(_ path: PathKey) {
    guard occupied.insert(path).inserted else { return }
    fewestLevels = min(fewestLevels, path.levels)
    for ancestor in path.ancestors.reversed() where !aboveOccupied.insert(ancestor).inserted { break }
  }

  /// Takes back what this change added at and below `path`.
  private mutating func wipe(_ path: PathKey) {
    guard occupied.contains(path) || aboveOccupied.contains(path) else { return }
    for key in Array(puts.paths) where path.isPrefix(of: key) { puts[key] = nil }
    for key in Array(increments.paths) where path.isPrefix(of: key) { increments[key] = nil }
    for key in Array(votes.paths) where path.isPrefix(of: key) { votes[key] = nil }
    for key in Array(priorities.paths) where path.isPrefix(of: key) { priorities[key] = nil }
    occupied = occupied.filter { !path.isPrefix(of: $0) }
    aboveOccupied = aboveOccupied.filter { !path.isPrefix(of: $0) }
  }

  private mutating func addClear(_ path: PathKey) {
    guard !clears.contains(path), !path.ancestors.contains(where: clears.contains) else { return }
    if aboveClears.contains(path) { clears = clears.filter { !path.isPrefix(of: $0) } }
    clears.insert(path)
    for ancestor in path.ancestors.reversed() where !aboveClears.insert(ancestor).inserted { break }
  }

  /// An addition takes back this change's own scalars and parts above it; a put among them has cleared what was below.
  private mutating func takeBackAbove(_ path: PathKey) {
    guard fewestLevels < path.levels else { return }
    for ancestor in path.ancestors where occupied.contains(ancestor) {
      if puts.contains(ancestor) {
        puts[ancestor] = nil
        addClear(ancestor)
      }
      increments[ancestor] = nil
      votes[ancestor] = nil
    }
  }
}

extension NormalForm {
  /// Is this list what `operations` could have given? O(n log n).
  package static func holds(_ operations: [Operation]) -> Bool {
    guard operations.count > 1 else { return true }
    for index in 1..<operations.count where !Operation.precedes(operations[index - 1], operations[index]) {
      return false
    }
    let puts = operations.compactMap { if case .put(let path, _) = $0 { path } else { nil } }
    var previousClear: PathKey?
    for (index, path) in puts.enumerated() where index > 0 && puts[index - 1].isPrefix(of: path) { return false }
    for operation in operations {
      switch operation {
      case .clear(let path):
        if let previousClear, previousClear.isPrefix(of: path) { return false }
        previousClear = path
        if lastPut(atOrBefore: path, in: puts)?.isPrefix(of: path) == true { return false }
      case .increment(let path, _), .vote(let path, _, 1), .vote(let path, _, -1):
        if let put = lastPut(atOrBefore: path, in: puts), put != path, put.isPrefix(of: path) { return false }
      case .put, .vote, .priority, .file:
        break
      }
    }
    return true
  }

  /// Puts are sorted and none is below another, so the one put that can be at or above `path` is the last not after it.
  private static func lastPut(atOrBefore path: PathKey, in puts: [PathKey]) -> PathKey? {
    var (low, high) = (0, puts.count)
    while low < high {
      let middle = (low + high) / 2
      if puts[middle] <= path { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? puts[low - 1] : nil
  }
}
