internal import OfflineTree

/// What the items of a document are to a space with declarations.
extension Importer {
  /// Everything but the flags and the priorities outside elements. An element is handed out when the next thing begins.
  func values(_ item: ImportItem, _ element: inout ImportElement?) throws -> [ImportUnit] {
    let place = PathKey(item.path)
    if declarations.isFlagged(place) {
      if !item.isTrueLeaf || declarations.vote(flag: place) == nil {
        report("skipped: \(item.path): a flag is true or absent")
      }
      return []
    }
    let path = declarations.element(of: place)?.path.path
    var units: [ImportUnit] = []
    if let finished = element, finished.path != path {
      units.append(.element(self.finished(finished)))
      element = nil
    }
    guard let path else {
      if case .leaf(let path, let value) = item { units.append(.leaf(path, value)) }
      return units
    }
    var current = element ?? ImportElement(path)
    switch item {
    case .leaf(let path, let value): current.add(path, value)
    case .priority(let path, let value): current.add(priority: value, at: path)
    }
    element = current
    return units
  }

  /// The flags, as votes, and the priorities outside elements.
  func votesAndPriorities(_ item: ImportItem, _ element: inout ImportElement?) throws -> [ImportUnit] {
    let place = PathKey(item.path)
    switch item {
    case .leaf(_, .bool(true)):
      guard let vote = declarations.vote(flag: place) else { return [] }
      return [.vote(counter: vote.counter.path, voter: vote.voter)]
    case .leaf: return []
    case .priority(let path, let value):
      return declarations.element(of: place) == nil && !declarations.isFlagged(place) ? [.priority(path, value)] : []
    }
  }

  /// Gives each counter its number: its count less its flags, which follow as votes.
  func finished(_ element: ImportElement) -> ImportElement {
    var element = element
    for (index, leaf) in element.leaves.enumerated() where leaf.value.isNumber {
      let counter = PathKey(leaf.path)
      guard declarations.hasFlags(counter: counter) else { continue }
      var rest = ExactSum(leaf.value)
      rest.subtract(.int(flags.count(counter)))
      let number = rest.value
      rest.subtract(number)
      element.leaves[index].value = number
      element.counters[leaf.path] = .init(
        count: leaf.value, remainder: rest.isZeroAndIntegral ? nil : rest.value, votesBefore: votesBefore.count(counter)
      )
    }
    return element
  }
}

extension ImportItem {
  fileprivate var path: Path {
    switch self {
    case .leaf(let path, _), .priority(let path, _): path
    }
  }

  fileprivate var isTrueLeaf: Bool {
    if case .leaf(_, .bool(true)) = self { true } else { false }
  }
}
