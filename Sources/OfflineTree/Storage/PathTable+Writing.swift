extension PathTable {
  /// Stores `value` at `key`, in place of what was there.
  ///
  /// - Throws: `.limitExceeded` for a key of more than `keyBytes` bytes, and what `StoreTransaction.put` throws.
  package func put(
    _ key: [UInt8], _ value: [UInt8], in transaction: borrowing StoreTransaction
  ) throws(TreeError) {
    if key.count <= Self.shortBytes {
      return try transaction.put(table, key.isEmpty ? Self.emptyKey : key, value)
    }
    guard key.count <= Self.keyBytes else {
      throw TreeError(
        .limitExceeded, "A path's key has \(key.count) bytes, and at most \(Self.keyBytes) can be stored",
        advice: "Use shorter keys or fewer levels")
    }
    if let stub = try stub(of: key, in: transaction) {
      let place = Self.deepKey(stub, key)
      let isNew = try transaction.withValue(.deep, place) { _ in false } ?? true
      try transaction.put(.deep, place, value)
      if isNew { try addDeep(stubs: 0, records: 1, in: transaction) }
    } else {
      let stub = try takeStub(in: transaction)
      try transaction.put(table, Self.stubKey(key), Self.bigEndian(stub))
      try transaction.put(.deep, Self.deepKey(stub, key), value)
      try addDeep(stubs: 1, records: 1, in: transaction)
    }
  }

  /// Removes `key`.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  package func delete(_ key: [UInt8], in transaction: borrowing StoreTransaction) throws(TreeError) -> Bool {
    if key.count <= Self.shortBytes {
      return try transaction.delete(table, key.isEmpty ? Self.emptyKey : key)
    }
    guard let stub = try stub(of: key, in: transaction),
      try transaction.delete(.deep, Self.deepKey(stub, key))
    else { return false }
    let prefix = Self.bigEndian(stub)
    let isLast = try transaction.withCursor(.deep) { (cursor) throws(TreeError) in
      guard try cursor.seek(atLeast: prefix) else { return true }
      return !cursor.key.starts(with: prefix)
    }
    if isLast { try transaction.delete(table, Self.stubKey(key)) }
    try addDeep(stubs: isLast ? -1 : 0, records: -1, in: transaction)
    return true
  }

  private static let nextStubKey: [UInt8] = [0]

  /// A number that no stub ever had.
  private func takeStub(in transaction: borrowing StoreTransaction) throws(TreeError) -> UInt64 {
    let next = try transaction.withValue(.deep, Self.nextStubKey) { (value) throws(TreeError) in
      try Self.stub(value)
    }
    let number = next ?? 1
    try transaction.put(.deep, Self.nextStubKey, Self.bigEndian(number + 1))
    return number
  }

  private func addDeep(stubs: Int, records: Int, in transaction: borrowing StoreTransaction) throws(TreeError) {
    let old = try deepCounts(in: transaction)
    let new = [old.stubs + stubs, old.records + records]
    let bytes = new.flatMap { count in (0..<8).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } }
    try transaction.put(.deep, [table.rawValue], bytes)
  }
}

extension RawSpan {
  /// Whether these bytes begin with `prefix`.
  func starts(with prefix: [UInt8]) -> Bool {
    guard byteCount >= prefix.count else { return false }
    for (index, byte) in prefix.enumerated() where unsafe unsafeLoad(fromByteOffset: index, as: UInt8.self) != byte {
      return false
    }
    return true
  }
}
