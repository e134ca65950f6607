/// Elements of add-only sets: who created them, and whose they are.
///
/// An element exists by the changes that put in it and had not seen each other; the lowest (stamp, log) of them owns it.
/// With one creator every version in the element is that one's, and no row is needed; rivals have a row in `rival`.
extension Replica {
  /// A creator of an element.
  struct Creator: Equatable, Sendable, Ordered {
    let stamp: Stamp
    let dot: Dot
  }

  /// The creators of an element that has several, the owner first.
  func rivals(_ element: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) -> [Creator]? {
    if try PathTable.rival.isEmpty(in: rows) { return nil }
    guard let row = try PathTable.rival.get(element.bytes, in: rows) else { return nil }
    var reader = ByteReader(row)
    var creators: [Creator] = []
    while !reader.isAtEnd {
      let stamp = try Stamp.decode(&reader)
      creators.append(Creator(stamp: stamp, dot: try Dot.decode(&reader)))
    }
    return creators
  }

  /// All creators of an element, none if it does not exist.
  func creators(of element: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) -> [Creator] {
    if let rivals = try rivals(element, rows) { return rivals }
    for table in [PathTable.tree, .hidden] {
      if try table.isEmpty(in: rows) { continue }
      var creator: Creator?
      try table.forEach(prefix: element.bytes, in: rows) { (_, value) throws(TreeError) in
        let row = unsafe value.withUnsafeBytes { unsafe [UInt8]($0) }
        if let version = try Register.decode(row)?.versions.first {
          creator = Creator(stamp: version.stamp, dot: version.dot)
        }
        return creator == nil
      }
      if let creator { return [creator] }
    }
    return []
  }

  /// Is there no row of any kind in the element?
  private func isEmpty(_ element: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bool {
    for table in [PathTable.tree, .hidden, .priority] {
      if try table.isEmpty(in: rows) { continue }
      let isFound = try table.withCursor(in: rows) { (cursor) throws(TreeError) in
        try cursor.seek(atLeast: element.bytes) && cursor.key.starts(with: element.bytes)
      }
      if isFound { return false }
    }
    return true
  }

  /// Is the change, which puts in the element, one of its creators?
  mutating func creates(
    _ element: PathKey, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Bool {
    if let known = acting.creates[element] { return known }
    let others = try creators(of: element, rows)
    let isCreator = !others.contains { acting.sees($0) }
    acting.creates[element] = isCreator
    if others.isEmpty, try isEmpty(element, rows) { acting.fresh.insert(element) }
    guard isCreator, !others.isEmpty else { return isCreator }
    // Registers that are held back are looked at as they were: another owner may be about to count.
    try storeCounters(rows)
    let all = (others + [Creator(stamp: acting.stamp, dot: acting.dot)]).sorted { isNewer($1, than: $0) }
    var writer = ByteWriter()
    for creator in all {
      creator.stamp.encode(to: &writer)
      creator.dot.encode(to: &writer)
    }
    try PathTable.rival.put(element.bytes, writer.bytes, in: rows)
    acting.contested.insert(element)
    return true
  }

  /// The owner of an element may be another one: places every register in it anew.
  mutating func reviewElement(
    _ element: PathKey, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    var paths: Set<PathKey> = []
    for table in [PathTable.tree, .hidden] {
      try table.forEach(prefix: element.bytes, in: rows) { (key, _) throws(TreeError) in
        paths.insert(PathKey(trusted: unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }))
        return true
      }
    }
    for path in paths.sorted() {
      let found = try register(path, rows)
      try place(path, found, &acting, rows)
      // Flags follow from what counts now; setting one that is set already does nothing.
      try reviewFlags(path, found.register, counted: true, &acting, rows)
      try reviewFlags(path, found.register, counted: false, &acting, rows)
    }
  }
}
