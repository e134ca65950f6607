/// A row of `meta` that says that a void change was dealt with: it is of this home alone.
///
/// ```
/// "reissued " ‖ log id 16 ‖ number u64, big-endian   empty, or log id 16 ‖ number u64 of the change that did it again
/// ```
struct ReissueMark: Equatable {
  let id: ReissuableChange.ID
  let reissue: ReissuableChange.ID?

  static let prefix = Array("reissued ".utf8)

  static func key(_ id: ReissuableChange.ID) -> [UInt8] { prefix + encode(id) }

  func store(_ rows: borrowing StoreTransaction) throws(TreeError) {
    try rows.put(.meta, ReissueMark.key(id), reissue.map(ReissueMark.encode) ?? [])
  }

  static func exists(_ id: ReissuableChange.ID, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bool {
    try rows.get(.meta, key(id)) != nil
  }

  /// All of them. O(marks).
  static func all(_ rows: borrowing StoreTransaction) throws(TreeError) -> [ReissueMark] {
    try rows.withCursor(.meta) { (cursor) throws(TreeError) in
      var marks: [ReissueMark] = []
      var isFound = try cursor.seek(atLeast: prefix)
      while isFound, cursor.key.starts(with: prefix) {
        guard let id = try decode(cursor.keyBytes[prefix.count...]) else {
          throw TreeError(.damaged, "a mark of a change that was done again names none", advice: Store.damageAdvice)
        }
        marks.append(ReissueMark(id: id, reissue: try decode(cursor.valueBytes[...])))
        isFound = try cursor.next()
      }
      return marks
    }
  }

  private static func encode(_ id: ReissuableChange.ID) -> [UInt8] { id.log.bytes + RowKey.commit(id.seq) }

  private static func decode(_ bytes: ArraySlice<UInt8>) throws(TreeError) -> ReissuableChange.ID? {
    if bytes.isEmpty { return nil }
    guard bytes.count == 24 else {
      throw TreeError(.damaged, "a mark has \(bytes.count) bytes", advice: Store.damageAdvice)
    }
    return ReissuableChange.ID(log: LogID(bytes.prefix(16)), seq: RowKey.number(bytes.suffix(8)))
  }
}
