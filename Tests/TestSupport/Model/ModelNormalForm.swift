package import OfflineTree

/// The net effect of operations that take effect one after another: the model's own, beside the library's.
package struct ModelNormalForm {
  private var clears: [Path] = []
  private var puts: [Path: Scalar] = [:]
  private var increments: [Path: [Scalar]] = [:]
  private var votes: [Path: [Key: Int8]] = [:]
  private var priorities: [Path: Scalar?] = [:]
  private var files: [FileName: FileContent?] = [:]

  package init() {}

  package static func of(_ operations: [Operation]) -> [Operation] {
    var form = ModelNormalForm()
    for operation in operations { form.append(operation) }
    return form.operations
  }

  package mutating func append(_ operation: Operation) {
    let path = operation.path.path
    switch operation {
    case .clear:
      wipe(path)
      clear(path)
    case .put(_, let value):
      wipe(path)
      openAncestors(path)
      puts[path] = value
    case .increment(_, let number):
      openAncestors(path)
      increments[path, default: []].append(number)
    case .vote(_, let voter, let choice):
      if choice != 0 { openAncestors(path) }
      votes[path, default: [:]][voter] = choice
    case .priority(_, let value):
      priorities.updateValue(value, forKey: path)
    case .file(let name, let content):
      files.updateValue(content, forKey: name)
    }
  }

  private mutating func wipe(_ path: Path) {
    puts = puts.filter { !$0.key.starts(with: path) }
    increments = increments.filter { !$0.key.starts(with: path) }
    votes = votes.filter { !$0.key.starts(with: path) }
    priorities = priorities.filter { !$0.key.starts(with: path) }
  }

  private mutating func clear(_ path: Path) {
    if clears.contains(where: { path.starts(with: $0) }) { return }
    clears = clears.filter { !$0.starts(with: path) } + [path]
  }

  private mutating func openAncestors(_ path: Path) {
    var above = path.parent
    while let ancestor = above {
      if puts.removeValue(forKey: ancestor) != nil { clear(ancestor) }
      increments[ancestor] = nil
      votes[ancestor] = nil
      above = ancestor.parent
    }
  }

  package var operations: [Operation] {
    var result: [Operation] = []
    let free = clears.filter { clear in !puts.keys.contains { clear.starts(with: $0) } }
    for path in sorted(free) { result.append(.clear(PathKey(path))) }
    for path in sorted(puts.keys) {
      if let value = puts[path] { result.append(.put(PathKey(path), value)) }
    }
    for path in sorted(increments.keys) {
      var sum = ExactSum()
      for number in increments[path] ?? [] { sum.add(number) }
      result.append(.increment(PathKey(path), by: sum.value))
    }
    for path in sorted(votes.keys) {
      let ballots = (votes[path] ?? [:]).sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      for (voter, choice) in ballots { result.append(.vote(PathKey(path), voter: voter, choice: choice)) }
    }
    for path in sorted(priorities.keys) {
      if let value = priorities[path] { result.append(.priority(PathKey(path), value)) }
    }
    for (name, content) in files.sorted(by: { $0.key < $1.key }) { result.append(.file(name, content)) }
    return result
  }

  private func sorted(_ paths: some Sequence<Path>) -> [Path] { paths.sorted { PathKey($0) < PathKey($1) } }
}
