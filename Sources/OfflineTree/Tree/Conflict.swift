/// What is live at a path and not shown: readable until somebody who has seen it writes there.
public struct Conflict: Sendable, Equatable {
  /// One value that is not shown, and who wrote it.
  public struct Entry: Sendable, Equatable {
    public enum Content: Sendable, Equatable {
      /// A value that another one, or a subtree, stands before.
      case version(Scalar)
      /// The sum of increments and votes that a value which is no number hides.
      case sum(Scalar)
      /// A priority; nil is the choice of none.
      case priority(Scalar?)
    }

    public let content: Content
    /// The log that wrote it; nil for a sum, which many have written.
    public let log: LogID?
    public let deviceName: String?
    /// Milliseconds since 1970 by the stamp of the change that wrote it.
    public let milliseconds: UInt64?
  }

  public let path: Path
  /// Values newest first, then the sum.
  public let entries: [Entry]
}

extension Replica {
  /// All conflicts at and below a path, in key order. Looks at every row there.
  func conflicts(below path: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) -> [Conflict] {
    var found: [(PathKey, [Conflict.Entry])] = []
    for (table, isHidden) in [(PathTable.tree, false), (.hidden, true)] {
      try table.forEach(prefix: path.bytes, in: rows) { (key, value) throws(TreeError) in
        guard let register = try Register.decode(unsafe value.withUnsafeBytes { unsafe [UInt8]($0) }) else {
          return true
        }
        if !isHidden, register.versions.count < 2, register.counter == 0 { return true }
        let path = PathKey(trusted: unsafe key.withUnsafeBytes { unsafe [UInt8]($0) })
        let entries = try conflicts(path, register, isHidden: isHidden, rows)
        if !entries.isEmpty { found.append((path, entries)) }
        return true
      }
    }
    try PathTable.priority.forEach(prefix: path.bytes, in: rows) { (key, value) throws(TreeError) in
      let path = PathKey(trusted: unsafe key.withUnsafeBytes { unsafe [UInt8]($0) })
      let items = try PriorityItem.decode(unsafe value.withUnsafeBytes { unsafe [UInt8]($0) })
      let isThere = try TreeReader.exists(path, rows)
      let shown = try isThere ? shownPriority(path, items, rows) : nil
      let rest = items.filter { $0 != shown }.map { entry(.priority($0.value), $0) }
      if !rest.isEmpty { found.append((path, rest)) }
      return true
    }
    let sorted = found.enumerated().sorted {
      $0.element.0 != $1.element.0 ? $0.element.0 < $1.element.0 : $0.offset < $1.offset
    }
    return sorted.map { Conflict(path: $0.element.0.path, entries: $0.element.1) }
  }

  private func conflicts(
    _ path: PathKey, _ register: Register, isHidden: Bool, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> [Conflict.Entry] {
    let view = try view(path, register, rows)
    var isObject = false
    if isHidden { isObject = try hasShown(below: path, rows) }
    let shown = isObject ? nil : register.shownVersion(view)
    var entries = register.versions.filter { $0 != shown }.map { entry(.version($0.value), $0) }
    let hidesSum = isObject || !register.counts(view) || !(register.shownVersion(view)?.value.isNumber ?? true)
    if register.hasParts, hidesSum {
      entries.append(
        Conflict.Entry(content: .sum(register.total.value), log: nil, deviceName: nil, milliseconds: nil))
    }
    return entries
  }

  private func entry(_ content: Conflict.Entry.Content, _ item: some Ordered) -> Conflict.Entry {
    Conflict.Entry(
      content: content, log: logs[item.dot.log].id, deviceName: logs[item.dot.log].deviceName,
      milliseconds: item.stamp.milliseconds)
  }

  /// The priority that shows: the newest, inside an add-only element the owner's.
  func shownPriority(
    _ path: PathKey, _ items: [PriorityItem], _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> PriorityItem? {
    guard let element = declarations.element(of: path)?.path, let rivals = try rivals(element, rows) else {
      return items.first
    }
    return items.first { $0.dot == rivals.first?.dot }
  }
}
