/// Priorities: a register of its own beside each node, in the table `priority`, newest first.
extension Replica {
  func priorities(_ path: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) -> [PriorityItem] {
    if try PathTable.priority.isEmpty(in: rows) { return [] }
    guard let row = try PathTable.priority.get(path.bytes, in: rows) else { return [] }
    return try PriorityItem.decode(row)
  }

  mutating func setPriority(
    _ path: PathKey, _ value: Scalar?, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    if let element = declarations.element(of: path)?.path, acting.creates[element] != true { return }
    let before = try priorities(path, rows)
    let item = PriorityItem(stamp: acting.stamp, dot: acting.dot, value: value)
    var after = declarations.isInElement(path) ? before : before.filter { !acting.sees($0) }
    after.insert(item, at: after.firstIndex { isNewer(item, than: $0) } ?? after.count)
    try replace(before, by: after, path, rows)
  }

  /// Removes the priorities that the change had seen at `path` and below, add-only elements aside.
  mutating func clearPriorities(
    _ path: PathKey, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    if try PathTable.priority.isEmpty(in: rows) { return }
    var found: [(PathKey, [UInt8])] = []
    try PathTable.priority.forEach(prefix: path.bytes, in: rows) { (key, value) throws(TreeError) in
      let path = PathKey(trusted: unsafe key.withUnsafeBytes { unsafe [UInt8]($0) })
      found.append((path, unsafe value.withUnsafeBytes { unsafe [UInt8]($0) }))
      return true
    }
    for (path, row) in found where !declarations.isInElement(path) {
      let before = try PriorityItem.decode(row)
      let after = before.filter { !acting.sees($0) }
      if after.count < before.count { try replace(before, by: after, path, rows) }
    }
  }

  private mutating func replace(
    _ before: [PriorityItem], by after: [PriorityItem], _ path: PathKey, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    for item in before where !after.contains(item) {
      hash.remove(.priority(path, item, log: logs[item.dot.log].id))
    }
    for item in after where !before.contains(item) {
      hash.add(.priority(path, item, log: logs[item.dot.log].id))
    }
    touched.insert(path)
    if after.isEmpty {
      try PathTable.priority.delete(path.bytes, in: rows)
    } else {
      try PathTable.priority.put(path.bytes, PriorityItem.encode(after), in: rows)
    }
  }
}

extension PriorityItem {
  static func encode(_ items: [PriorityItem]) -> [UInt8] {
    var writer = ByteWriter()
    for item in items {
      item.stamp.encode(to: &writer)
      item.dot.encode(to: &writer)
      writer.u8(item.value == nil ? 0 : 1)
      item.value?.encode(to: &writer)
    }
    return writer.bytes
  }

  static func decode(_ row: [UInt8]) throws(TreeError) -> [PriorityItem] {
    var reader = ByteReader(row)
    var items: [PriorityItem] = []
    while !reader.isAtEnd {
      let stamp = try Stamp.decode(&reader)
      let dot = try Dot.decode(&reader)
      let value = try reader.u8("priority") == 0 ? nil : try Scalar.decode(from: &reader)
      items.append(PriorityItem(stamp: stamp, dot: dot, value: value))
    }
    return items
  }
}
