package import OfflineTree

/// What a register shows, and what is live and not shown.
extension ModelTree {
  /// A live item that does not show; a sum has no one origin.
  package struct Hidden: Sendable {
    package let content: Conflict.Entry.Content
    package let origin: Order?
  }

  private func element(of path: Path) -> Path? { declarations.element(of: PathKey(path))?.path.path }

  /// Versions that can show, newest first: in an element only its creator's.
  private func showable(_ path: Path) -> [Item<Scalar>] {
    let live = versions[path] ?? []
    guard let element = element(of: path) else { return live }
    return live.filter { $0.change == owners[element] }
  }

  /// In an add-only element increments and votes count only where its creator put a number.
  func counts(_ path: Path) -> Bool {
    guard element(of: path) != nil else { return true }
    return showable(path).first?.value.isNumber ?? false
  }

  private func parts(_ path: Path) -> [Scalar] {
    let choices = (votes[path] ?? [:]).keys.map { choice(of: $0, at: path) }
    return (increments[path] ?? []) + choices.filter { $0 != 0 }.map { Scalar.int(Int64($0)) }
  }

  private func sum(_ numbers: [Scalar]) -> Scalar {
    var sum = ExactSum()
    for number in numbers { sum.add(number) }
    return sum.value
  }

  /// What shows at the node itself if nothing shows below it.
  private func ownScalar(_ path: Path) -> Scalar? {
    if derived.contains(path) { return .bool(true) }
    let base = showable(path).first?.value
    let parts = counts(path) ? parts(path) : []
    if let base, !base.isNumber { return base }
    if base == nil, parts.isEmpty { return nil }
    return sum((base.map { [$0] } ?? []) + parts)
  }

  package func value(at path: Path = .root) -> Value {
    value(path, nodes.node(at: path.keys) ?? Node())
  }

  private func value(_ path: Path, _ node: Node) -> Value {
    var members: [(key: Key, value: Value)] = []
    for key in node.children.keys.sorted() {
      guard let below = try? path.child(key), let child = node.children[key] else { continue }
      let value = value(below, child)
      if !value.isNull { members.append((key, value)) }
    }
    if !members.isEmpty { return Value(members: members) }
    return ownScalar(path).map { Value($0) } ?? .null
  }

  /// The priority that shows: the highest, while the node has a value; null is a choice.
  package func priority(at path: Path) -> Scalar? {
    shownPriority(path).flatMap { $0.value }
  }

  private func shownPriority(_ path: Path) -> Item<Scalar?>? {
    guard !value(at: path).isNull else { return nil }
    let live = priorities[path] ?? []
    guard let element = element(of: path) else { return live.first }
    return live.first { $0.change == owners[element] }
  }

  /// Every node that shows a priority.
  package func shownPriorities() -> [Path: Scalar] {
    var result: [Path: Scalar] = [:]
    for path in priorities.keys { result[path] = priority(at: path) }
    return result
  }

  /// Path → versions, newest first, then the sum that a non-number or an object hides, then priorities, newest first.
  package func conflicts() -> [(path: Path, entries: [Hidden])] {
    let paths = Set(versions.keys).union(increments.keys).union(votes.keys).union(priorities.keys)
    return paths.sorted { PathKey($0) < PathKey($1) }.compactMap { path in
      let entries = conflicts(at: path)
      return entries.isEmpty ? nil : (path, entries)
    }
  }

  private func conflicts(at path: Path) -> [Hidden] {
    let shown = showable(path).first
    let isHidden = value(at: path).object != nil
    var result: [Hidden] = []
    for item in versions[path] ?? [] where isHidden || item.change != shown?.change {
      result.append(Hidden(content: .version(item.value), origin: item.order))
    }
    let parts = parts(path)
    if !parts.isEmpty, isHidden || !counts(path) || shown?.value.isNumber == false {
      result.append(Hidden(content: .sum(sum(parts)), origin: nil))
    }
    let shownPriority = shownPriority(path)
    for item in priorities[path] ?? [] where item.change != shownPriority?.change {
      result.append(Hidden(content: .priority(item.value), origin: item.order))
    }
    return result
  }
}
