/// The net effect of a sequence of operations, stored as one encoding for one effect (docs/merge.md).
///
/// Operations are appended in the order in which they take effect; `operations` is their normal form.
/// Appending costs O(levels of the path + what it takes back).
package struct NormalForm {
  private var clears: Set<PathKey> = []
  private var puts: [PathKey: Scalar] = [:]
  private var increments: [PathKey: ExactSum] = [:]
  private var votes: [PathKey: [Key: Int8]] = [:]
  private var priorities: [PathKey: Scalar?] = [:]
  /// Every path with an addition.
  private var occupied: Set<PathKey> = []
  /// Every path above an addition: says quickly that nothing can be below a path.
  private var aboveOccupied: Set<PathKey> = []
  /// Every path above a clear. A clear that is gone may leave its own behind: then a look costs more, nothing else.
  private var aboveClears: Set<PathKey> = []

  package init() {}

  package var isEmpty: Bool {
    clears.isEmpty && puts.isEmpty && increments.isEmpty && votes.isEmpty && priorities.isEmpty
  }

  /// Can what was appended so far change what is shown at `path`, above or below it?
  package func touches(_ path: PathKey) -> Bool {
    if occupied.contains(path) || aboveOccupied.contains(path) { return true }
    for ancestor in path.ancestors + [path] {
      if clears.contains(ancestor) || puts[ancestor] != nil || increments[ancestor] != nil || votes[ancestor] != nil {
        return true
      }
    }
    return aboveClears.contains(path)
  }

  /// Can what was appended so far turn a number, or nothing, at `path` into something else?
  ///
  /// Unlike `touches`, not by increments and votes at the path itself: so many of them cost no look at a draft.
  package func mayHideNumber(at path: PathKey) -> Bool {
    if aboveOccupied.contains(path) || aboveClears.contains(path) { return true }
    if puts.isEmpty && clears.isEmpty { return false }
    return (path.ancestors + [path]).contains { clears.contains($0) || puts[$0] != nil }
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
      increments[path, default: ExactSum()].add(number)
      occupy(path)
    case .vote(let path, let voter, let choice):
      if choice != 0 { takeBackAbove(path) }
      votes[path, default: [:]][voter] = choice
      occupy(path)
    case .priority(let path, let value):
      priorities.updateValue(value, forKey: path)
      occupy(path)
    }
  }

  /// Sorted: clears, puts, increments, votes, priorities, each by path.
  package var operations: [Operation] {
    var result: [Operation] = []
    result.reserveCapacity(clears.count + puts.count + increments.count + votes.count + priorities.count)
    for path in clears where !isAtOrBelowPut(path) { result.append(.clear(path)) }
    for (path, value) in puts { result.append(.put(path, value)) }
    for (path, sum) in increments { result.append(.increment(path, by: sum.value)) }
    for (path, ballots) in votes {
      for (voter, choice) in ballots { result.append(.vote(path, voter: voter, choice: choice)) }
    }
    for (path, value) in priorities { result.append(.priority(path, value)) }
    return result.count > 1 ? result.sorted(by: Operation.precedes) : result
  }

  private func isAtOrBelowPut(_ path: PathKey) -> Bool {
    puts[path] != nil || (!puts.isEmpty && path.ancestors.contains { puts[$0] != nil })
  }

  private mutating func occupy(_ path: PathKey) {
    guard occupied.insert(path).inserted else { return }
    for ancestor in path.ancestors.reversed() where !aboveOccupied.insert(ancestor).inserted { break }
  }

  /// Takes back what this change added at and below `path`.
  private mutating func wipe(_ path: PathKey) {
    guard occupied.contains(path) || aboveOccupied.contains(path) else { return }
    for key in puts.keys where path.isPrefix(of: key) { puts[key] = nil }
    for key in increments.keys where path.isPrefix(of: key) { increments[key] = nil }
    for key in votes.keys where path.isPrefix(of: key) { votes[key] = nil }
    for key in priorities.keys where path.isPrefix(of: key) { priorities.removeValue(forKey: key) }
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
    if puts.isEmpty && increments.isEmpty && votes.isEmpty { return }
    for ancestor in path.ancestors {
      if puts.removeValue(forKey: ancestor) != nil { addClear(ancestor) }
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
      case .put, .vote, .priority:
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
