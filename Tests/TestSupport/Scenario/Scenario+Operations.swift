package import OfflineTree

extension Scenario.Write {
  /// The operations that the write stands for, or nil if it must be refused.
  ///
  /// - Parameters:
  ///   - before: The tree before the whole change.
  ///   - now: The tree as the writes before this one of the same change leave it.
  func operations(before: ModelTree, now: ModelTree, declarations: Declarations) throws -> [Operation]? {
    func exists(_ path: PathKey) -> Bool { !before.value(at: path.path).isNull }
    func hasSetBelow(_ path: PathKey) -> Bool { declarations.sets(atOrBelow: path).contains(where: exists) }
    func isInExistingElement(_ path: PathKey) -> Bool {
      declarations.element(of: path).map { exists($0.path) } ?? false
    }

    let path = PathKey(self.path)
    if declarations.isFlagged(path) || hasSetBelow(path) { return nil }
    let value = now.value(at: self.path)
    switch self {
    case .set(let path, let document):
      let leaves = try document.leaves(at: path)
      for touched in leaves.map({ PathKey($0.path) }) + [PathKey(path)]
      where declarations.isFlagged(touched) || isInExistingElement(touched) {
        return nil
      }
      let puts = leaves.map { Operation.put(PathKey($0.path), $0.value) }
      return leaves.count == 1 && leaves[0].path == path ? puts : [.clear(PathKey(path))] + puts
    case .remove:
      return isInExistingElement(path) ? nil : [.clear(path)]
    case .increment(_, let number):
      if declarations.isInElement(path), value.scalar?.isNumber != true { return nil }
      let isOther = !value.isNull && value.scalar?.isNumber != true
      return (isOther ? [.clear(path)] : []) + [.increment(path, by: number)]
    case .vote(_, let voter, let choice):
      if declarations.isInElement(path), value.scalar?.isNumber != true { return nil }
      if !value.isNull, value.scalar?.isNumber != true { return nil }
      return [.vote(path, voter: voter, choice: Int8(choice))]
    }
  }

  package var path: Path {
    switch self {
    case .set(let path, _), .remove(let path), .increment(let path, _), .vote(let path, _, _): path
    }
  }
}

extension JSON {
  /// The scalars of a document and where they come to lie; what is null or empty has none.
  func leaves(at path: Path) throws -> [(path: Path, value: Scalar)] {
    switch self {
    case .null: return []
    case .scalar(let scalar): return [(path, scalar)]
    case .array(let elements):
      return try elements.enumerated().flatMap { try $0.element.leaves(at: try path.child(Key(index: $0.offset))) }
    case .object(let members):
      return try members.flatMap { try $0.value.leaves(at: try path.child($0.key)) }
    }
  }
}
