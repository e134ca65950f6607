package import OfflineTree

/// What a set of changes shows: the merge rules of docs/merge.md as a function of the set.
package struct ModelTree: Sendable {
  struct Item<Value: Sendable>: Sendable {
    let order: Order
    let change: Int
    let value: Value
  }

  let history: History
  let declarations: Declarations
  var versions: [Path: [Item<Scalar>]] = [:]
  var increments: [Path: [Scalar]] = [:]
  var votes: [Path: [Key: [Item<Int>]]] = [:]
  var priorities: [Path: [Item<Scalar?>]] = [:]
  var files: [FileName: [Item<FileContent>]] = [:]
  /// Element of an add-only set → the change that it belongs to.
  var owners: [Path: Int] = [:]
  /// Where flags show.
  var derived: Set<Path> = []
  var nodes = Node()

  /// - Parameter subset: only these changes count, by index; nil for all that are not void.
  package init(_ history: History, subset: [Int]? = nil) throws {
    self.history = history
    declarations = history.declarations
    let counted = (subset ?? Array(history.records.indices)).filter { history.voids[$0] == nil }
    let creators = creators(counted)
    let removals = try Removals(history, counted, creators: creators)
    for index in counted {
      for operation in history.change(index).operations {
        try keep(operation, index, creators, removals)
      }
    }
    for (element, rivals) in creators {
      owners[element.path] = rivals.min { history.order($0) < history.order($1) }
    }
    for path in versions.keys { versions[path]?.sort { $1.order < $0.order } }
    for path in priorities.keys { priorities[path]?.sort { $1.order < $0.order } }
    keepFiles(counted)
    try showFlags()
    for path in Set(versions.keys).union(increments.keys).union(votes.keys).union(derived) {
      nodes.insert(path.keys[...])
    }
  }

  /// Element → the changes that put in it and had not seen another that did.
  private func creators(_ counted: [Int]) -> [PathKey: [Int]] {
    var writers: [PathKey: [Int]] = [:]
    for index in counted {
      for case .put(let path, _) in history.change(index).operations {
        guard let element = declarations.element(of: path)?.path else { continue }
        if writers[element]?.contains(index) != true { writers[element, default: []].append(index) }
      }
    }
    return writers.mapValues { indices in
      indices.filter { index in !indices.contains { history.saw(index, $0) } }
    }
  }

  private mutating func keep(
    _ operation: Operation, _ index: Int, _ creators: [PathKey: [Int]], _ removals: Removals
  ) throws {
    if operation.isOfFile { return }
    let path = operation.path
    if declarations.isFlagged(path) { return }
    let element = declarations.element(of: path)?.path
    let creates = element.map { creators[$0]?.contains(index) == true } ?? true
    let order = history.order(index)
    switch operation {
    case .clear, .file:
      break
    case .put(_, let value):
      guard creates, !removals.remove(.version, path, seen: index) else { return }
      versions[path.path, default: []].append(Item(order: order, change: index, value: value))
    case .increment(_, let number):
      guard !removals.remove(.increment, path, seen: index) else { return }
      increments[path.path, default: []].append(number)
    case .vote(_, let voter, let choice):
      guard !removals.remove(.vote(voter), path, seen: index) else { return }
      votes[path.path, default: [:]][voter, default: []].append(
        Item(order: order, change: index, value: Int(choice)))
    case .priority(_, let value):
      guard creates, !removals.remove(.priority, path, seen: index) else { return }
      priorities[path.path, default: []].append(Item(order: order, change: index, value: value))
    }
  }

  /// A content lives until somebody who had seen it stores the file anew or removes it.
  private mutating func keepFiles(_ counted: [Int]) {
    var acts: [FileName: [(index: Int, content: FileContent?)]] = [:]
    for index in counted {
      for case .file(let name, let content) in history.change(index).operations {
        acts[name, default: []].append((index, content))
      }
    }
    for (name, acts) in acts {
      let live = acts.filter { act in !acts.contains { $0.index != act.index && history.saw($0.index, act.index) } }
      let items = live.compactMap { act in
        act.content.map { Item(order: history.order(act.index), change: act.index, value: $0) }
      }
      if !items.isEmpty { files[name] = items.sorted { $1.order < $0.order } }
    }
  }

  private mutating func showFlags() throws {
    for (path, voters) in votes where counts(path) {
      for voter in voters.keys where choice(of: voter, at: path) != 0 {
        for flag in try declarations.flagPaths(counter: PathKey(path), voter: voter) { derived.insert(flag.path) }
      }
    }
  }

  /// Elements of add-only sets, and the changes that they belong to.
  package var elements: [(element: PathKey, change: Int)] { owners.map { (PathKey($0.key), $0.value) } }

  /// Of unseen rivals the highest (stamp, log) stands.
  package func choice(of voter: Key, at path: Path) -> Int {
    votes[path]?[voter]?.max { $0.order < $1.order }?.value ?? 0
  }
}

extension ModelTree {
  /// Paths as a tree, children in key order.
  struct Node: Sendable {
    var children: [Key: Node] = [:]

    mutating func insert(_ keys: ArraySlice<Key>) {
      guard let first = keys.first else { return }
      children[first, default: Node()].insert(keys.dropFirst())
    }

    func node(at keys: [Key]) -> Node? {
      keys.reduce(Optional(self)) { $0?.children[$1] }
    }
  }
}
