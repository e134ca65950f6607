/// What a repair knew to exist of others' logs and did not find: rows of `meta`, until that has come from others.
///
/// ```
/// "missing " ‖ log id 16   number u64, big-endian, of changes that there are of the log, branches included
/// ```
enum MissedChanges {
  private static let prefix = Array("missing ".utf8)

  /// In place of what an earlier repair knew.
  static func store(_ missing: [LogID: UInt64], _ rows: borrowing StoreTransaction) throws(TreeError) {
    for (log, known) in try all(rows) where missing[log] ?? 0 < known { try put(log, known, rows) }
    for (log, known) in missing { try put(log, known, rows) }
  }

  private static func put(_ log: LogID, _ known: UInt64, _ rows: borrowing StoreTransaction) throws(TreeError) {
    try rows.put(.meta, prefix + log.bytes, RowKey.commit(known))
  }

  private static func all(_ rows: borrowing StoreTransaction) throws(TreeError) -> [(log: LogID, known: UInt64)] {
    try rows.withCursor(.meta) { (cursor) throws(TreeError) in
      var found: [(log: LogID, known: UInt64)] = []
      var isFound = try cursor.seek(atLeast: prefix)
      while isFound, cursor.key.starts(with: prefix) {
        let (key, value) = (cursor.keyBytes, cursor.valueBytes)
        guard key.count == prefix.count + 16, value.count == 8 else {
          throw TreeError(.damaged, "what a repair missed is cut off", advice: Store.damageAdvice)
        }
        found.append((LogID(key[prefix.count...]), RowKey.number(value)))
        isFound = try cursor.next()
      }
      return found
    }
  }

  /// How many of them have not come. O(logs).
  static func count(_ replica: Replica, _ rows: borrowing StoreTransaction) throws(TreeError) -> UInt64 {
    var count: UInt64 = 0
    for (log, known) in try all(rows) {
      let held = (replica.indices[log] ?? []).reduce(UInt64(0)) {
        $0 + replica.logs[$1].count - replica.logs[$1].first
      }
      if held < known { count = count.addingReportingOverflow(known - held).partialValue }
    }
    return count
  }
}
