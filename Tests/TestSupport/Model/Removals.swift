import OfflineTree

/// Asks of every item whether a change that had seen it took it away.
struct Removals {
  enum Kind {
    case version, increment
    case vote(Key)
    case priority
  }

  private struct Action {
    let operation: Operation
    let path: PathKey
    /// Is the operation inside an add-only element, and not of a change that may have created it?
    let isConfined: Bool
  }

  private let history: History
  private let actions: [(index: Int, actions: [Action])]

  init(_ history: History, _ counted: [Int], creators: [PathKey: [Int]]) throws {
    self.history = history
    actions = counted.map { index in
      var list: [Action] = []
      for operation in history.change(index).operations where !history.declarations.isFlagged(operation.path) {
        let element = history.declarations.element(of: operation.path)?.path
        var creates = false
        if case .put = operation, let element { creates = creators[element]?.contains(index) == true }
        list.append(
          Action(operation: operation, path: operation.path, isConfined: element != nil && !creates))
      }
      return (index: index, actions: list)
    }
  }

  /// Did a change that had seen change `seen` remove the item that it made at `path`?
  func remove(_ kind: Kind, _ path: PathKey, seen: Int) -> Bool {
    let isInElement = history.declarations.element(of: path) != nil
    return actions.contains { index, actions in
      history.saw(index, seen) && actions.contains { removes($0, kind, path, isInElement) }
    }
  }

  private func removes(_ action: Action, _ kind: Kind, _ path: PathKey, _ isInElement: Bool) -> Bool {
    if case .vote(let voter) = kind, case .vote(_, voter: voter, choice: _) = action.operation, action.path == path {
      return true
    }
    if isInElement { return false }
    if case .priority = kind, case .priority = action.operation, action.path == path { return true }
    switch action.operation {
    case .clear, .put:
      if action.path.isPrefix(of: path) { return true }
    default: break
    }
    if case .priority = kind { return false }
    if action.isConfined { return false }
    return adds(action.operation) && action.path != path && path.isPrefix(of: action.path)
  }

  private func adds(_ operation: Operation) -> Bool {
    switch operation {
    case .put, .increment: true
    case .vote(_, _, let choice): choice != 0
    case .clear, .priority, .file: false
    }
  }
}
