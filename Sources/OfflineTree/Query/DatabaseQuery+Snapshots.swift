extension DatabaseQuery {
  /// The query's answer now, on the calling thread.
  /// - Throws: What is wrong with the query, or what keeps it from being read.
  package func snapshot() throws(TreeError) -> DataSnapshot {
    try requireValid()
    if let info = location.info { return snapshot(of: info) }
    let reader = try database.snapshotReader()
    return try reader.read { rows, replica in
      try self.snapshot(of: try self.window(rows, replica), in: reader, rows, replica)
    }
  }

  /// The children that the query finds, in its order; nil for a plain reference, which is its whole node.
  ///
  /// Warns once where it had to look at every child.
  func window(_ rows: borrowing StoreTransaction, _ replica: Replica) throws(TreeError) -> QueryWindow? {
    if parameters == .all { return nil }
    let window = try QueryEngine.window(parameters, at: PathKey(path), rows, replica)
    if window.isScan { warnOfScan() }
    return window
  }

  /// Bytes of rows up to which a snapshot is copied.
  private static let copyLimit = 16_384

  /// A snapshot of children that are known, or of the whole node where `window` is nil: a copy if it is small, else one
  /// that holds on to `reader`, in whose view the rows are; a copy in any case if there is no reader.
  func snapshot(
    of window: QueryWindow?, in reader: SnapshotReader? = nil, _ rows: borrowing StoreTransaction, _ replica: Replica
  ) throws(TreeError) -> DataSnapshot {
    let node = PathKey(path)
    let roots = window?.entries.map(\.path) ?? [node]
    if let reader, try !Self.isSmall(roots, rows) { return DataSnapshot(ref, reader, window: window) }
    var shown: [PathKey: Scalar] = [:]
    if window != nil, let own = try replica.shownPriority(node, try replica.priorities(node, rows), rows)?.value {
      shown[node] = own
    }
    for root in roots { try replica.collectPriorities(below: root, into: &shown, rows) }
    var value = Value.null
    if let window {
      var members: [Value.Object.Member] = []
      for entry in window.entries {
        members.append(Value.Object.Member(entry.key, try TreeReader.value(at: entry.path, rows)))
      }
      value = Value(members: members)
    } else {
      value = try TreeReader.value(at: node, rows)
    }
    return DataSnapshot(ref, CopiedNode(base: node, copy: value, shown: shown), window: window)
  }

  private static func isSmall(_ roots: [PathKey], _ rows: borrowing StoreTransaction) throws(TreeError) -> Bool {
    var bytes = 0
    for root in roots {
      try PathTable.tree.forEach(prefix: root.bytes, in: rows) { (key, row) throws(TreeError) in
        bytes += key.byteCount + row.byteCount
        return bytes <= copyLimit
      }
      if bytes > copyLimit { return false }
    }
    return true
  }

  func warnOfScan() {
    let (child, rule) =
      switch parameters.order {
      case .child(let path): (path.description, "\"\(path)\"")
      default: ("its value", "\".value\"")
      }
    database.warn(
      "a query of /\(path) by \(child) looked at every child, for want of an index: add \".indexOn\": \(rule) there to"
        + " the rules, or call addIndex(at:by:)")
  }
}

extension Replica {
  /// The priorities that nodes at and below a path show.
  func collectPriorities(
    below path: PathKey, into shown: inout [PathKey: Scalar], _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    if try PathTable.priority.isEmpty(in: rows) { return }
    var paths: [PathKey] = []
    try PathTable.priority.forEach(prefix: path.bytes, in: rows) { (key, _) throws(TreeError) in
      paths.append(PathKey(trusted: unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }))
      return true
    }
    for path in paths where try TreeReader.exists(path, rows) {
      shown[path] = try shownPriority(path, try priorities(path, rows), rows)?.value
    }
  }
}
