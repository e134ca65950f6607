/// An ordered map for keys of up to 993 bytes, although LMDB's end at 511.
///
/// ```
/// logical key             row in the table                              row in `deep`
/// empty                   00 → value
/// 1 to 490 bytes          key → value
/// longer                  first 490 bytes ‖ 00 → stub u64 big-endian    stub u64 big-endian ‖ the rest → value
/// ```
/// `deep` also holds `00` → the next stub's number, and `table's number u8` → {stubs u64, records u64}, little-endian.
/// No logical key begins with 00, and a stub's key has a length that no other has. Byte order stays: a stub stands
/// behind its 490 bytes as a key, and before whatever does not begin with them. A stub goes with its last long key.
package struct PathTable: Sendable {
  package let table: Table

  package static let tree = PathTable(.tree)
  package static let hidden = PathTable(.hidden)
  package static let priority = PathTable(.priority)
  package static let file = PathTable(.file)
  package static let rival = PathTable(.rival)
  package static let index = PathTable(.index)

  /// Bytes of a key that stands in the table as it is, at most.
  package static let shortBytes = 490
  /// Bytes of a key, at most.
  package static let keyBytes = shortBytes + 511 - MemoryLayout<UInt64>.size

  private init(_ table: Table) { self.table = table }

  /// A copy of the value at `key`.
  package func get(_ key: [UInt8], in transaction: borrowing StoreTransaction) throws(TreeError) -> [UInt8]? {
    try withValue(key, in: transaction) { value in unsafe value.withUnsafeBytes { unsafe [UInt8]($0) } }
  }

  /// Calls `body` with the value at `key`, in place: valid during the closure, and until the transaction's next write.
  package func withValue<R>(
    _ key: [UInt8], in transaction: borrowing StoreTransaction, _ body: (RawSpan) throws(TreeError) -> R
  ) throws(TreeError) -> R? {
    if key.count <= Self.shortBytes {
      return try transaction.withValue(table, key.isEmpty ? Self.emptyKey : key, body)
    }
    guard let stub = try stub(of: key, in: transaction) else { return nil }
    return try transaction.withValue(.deep, Self.deepKey(stub, key), body)
  }

  /// How many keys there are. Constant time.
  package func count(in transaction: borrowing StoreTransaction) throws(TreeError) -> Int {
    let rows = try transaction.count(table)
    if try transaction.isEmpty(.deep) { return rows }
    let deep = try deepCounts(in: transaction)
    return rows - deep.stubs + deep.records
  }

  /// Whether there is no key. Constant time.
  package func isEmpty(in transaction: borrowing StoreTransaction) throws(TreeError) -> Bool {
    try transaction.isEmpty(table)
  }
}

extension PathTable {
  static let emptyKey: [UInt8] = [0]
  static let stubKeyBytes = shortBytes + 1

  /// The key of the stub under which a long key stands.
  static func stubKey(_ key: [UInt8]) -> [UInt8] { key[..<shortBytes] + [0] }

  /// Where a long key stands in `deep`.
  static func deepKey(_ stub: UInt64, _ key: [UInt8]) -> [UInt8] { bigEndian(stub) + key[shortBytes...] }

  /// Eight bytes, the highest first.
  static func bigEndian(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
  }

  /// The number of the stub of a long key, if there is one.
  func stub(of key: [UInt8], in transaction: borrowing StoreTransaction) throws(TreeError) -> UInt64? {
    try transaction.withValue(table, Self.stubKey(key)) { (value) throws(TreeError) in
      try Self.stub(value)
    }
  }

  /// The number in a stub's value.
  static func stub(_ value: RawSpan) throws(TreeError) -> UInt64 {
    guard value.byteCount == 8 else {
      throw TreeError(.damaged, "A stub of a long path has \(value.byteCount) bytes", advice: Store.damageAdvice)
    }
    return unsafe UInt64(bigEndian: value.unsafeLoadUnaligned(as: UInt64.self))
  }

  func deepCounts(in transaction: borrowing StoreTransaction) throws(TreeError) -> (stubs: Int, records: Int) {
    let counts = try transaction.withValue(.deep, [table.rawValue]) { (value) throws(TreeError) in
      guard value.byteCount == 16 else {
        throw TreeError(.damaged, "The count of long paths has \(value.byteCount) bytes", advice: Store.damageAdvice)
      }
      return unsafe (
        Int(Int64(littleEndian: value.unsafeLoadUnaligned(fromByteOffset: 0, as: Int64.self))),
        Int(Int64(littleEndian: value.unsafeLoadUnaligned(fromByteOffset: 8, as: Int64.self)))
      )
    }
    return counts ?? (0, 0)
  }
}
