/// What a repair knew to exist of others' logs and did not find: rows of `meta`, until that has come from others.
///
/// ```
/// "missing " ‖ log id 16   number u64 ‖ number u64, big-endian, of changes that there are of the log, branches included:
///                          by what anybody was known to say, and by what was found in the damaged database itself
/// ```
/// Before there was the second number, the first was what was found.
enum MissedChanges {
  struct Known: Equatable {
    /// What somebody was known to say, or what was found if that is more.
    var said: UInt64
    /// By rows of the damaged database itself: there were so many here, whatever anybody says.
    var found: UInt64
  }

  private static let prefix = Array("missing ".utf8)

  /// Notes what a repair missed, beside what an earlier one did.
  static func store(_ missing: [LogID: Known], _ rows: borrowing StoreTransaction) throws(TreeError) {
    var missing = missing
    for (log, before) in try all(rows) {
      guard let known = missing[log] else { continue }
      missing[log] = Known(said: max(known.said, before.said), found: max(known.found, before.found))
    }
    for (log, known) in missing { try put(log, known, rows) }
  }

  /// What only somebody's word said ends where nobody says so any more.
  ///
  /// - Parameter said: How many changes of each log others are known to have now.
  static func limit(to said: [LogID: UInt64], _ rows: borrowing StoreTransaction) throws(TreeError) {
    for (log, known) in try all(rows) where known.said > known.found {
      let now = max(known.found, min(known.said, said[log] ?? 0))
      if now == known.said { continue }
      if now == 0 {
        try rows.delete(.meta, prefix + log.bytes)
      } else {
        try put(log, Known(said: now, found: known.found), rows)
      }
    }
  }

  /// Is anything missed by somebody's word alone?
  static func restOnWords(_ rows: borrowing StoreTransaction) throws(TreeError) -> Bool {
    try all(rows).contains { $0.known.said > $0.known.found }
  }

  private static func put(_ log: LogID, _ known: Known, _ rows: borrowing StoreTransaction) throws(TreeError) {
    try rows.put(.meta, prefix + log.bytes, RowKey.commit(known.said) + RowKey.commit(known.found))
  }

  private static func all(_ rows: borrowing StoreTransaction) throws(TreeError) -> [(log: LogID, known: Known)] {
    try rows.withCursor(.meta) { (cursor) throws(TreeError) in
      var found: [(log: LogID, known: Known)] = []
      var isFound = try cursor.seek(atLeast: prefix)
      while isFound, cursor.key.starts(with: prefix) {
        let (key, value) = (cursor.keyBytes, cursor.valueBytes)
        guard key.count == prefix.count + 16, value.count == 8 || value.count == 16 else {
          throw TreeError(.damaged, "what a repair missed is cut off", advice: Store.damageAdvice)
        }
        let known = Known(said: RowKey.number(value[..<8]), found: RowKey.number(value.suffix(8)))
        found.append((LogID(key[prefix.count...]), known))
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
      if held < known.said { count = count.addingReportingOverflow(known.said - held).partialValue }
    }
    return count
  }
}

extension Database {
  /// Of what a repair missed by others' word alone counts only what they still say.
  ///
  /// - Parameter said: How many changes of each log others are known to have now; asked only if it matters.
  package func limitMissed(to said: () throws -> [LogID: UInt64]) throws {
    guard try view({ rows, _ in try MissedChanges.restOnWords(rows) }) else { return }
    let said = try said()
    try submit { rows, _ in try MissedChanges.limit(to: said, rows) }
  }
}
