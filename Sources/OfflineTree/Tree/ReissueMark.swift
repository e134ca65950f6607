/// A row of `meta` that says that a void change was dealt with: it is of this home alone.
///
/// Changes are known by their hash here: when others' changes show that a log has forked, a change gets another log id.
///
/// ```
/// "reissued " ‖ hash 32   00, or 01 while something is left that only a person can do
/// "reissue " ‖ hash 32 of the change that did it again   log id 16 ‖ number u64, big-endian ‖ hash 32 of the void one
/// ```
enum ReissueMark: UInt8 {
  case dealtWith = 0
  case partly = 1

  private static let prefix = Array("reissued ".utf8)
  private static let originPrefix = Array("reissue ".utf8)

  static func of(_ hash: Bytes32, _ rows: borrowing StoreTransaction) throws(TreeError) -> ReissueMark? {
    guard let row = try rows.get(.meta, prefix + hash.bytes) else { return nil }
    guard row.count == 1, let mark = ReissueMark(rawValue: row[0]) else {
      throw TreeError(.damaged, "a mark of a change that was done again says nothing", advice: Store.damageAdvice)
    }
    return mark
  }

  /// Is there any?
  static func areThere(_ rows: borrowing StoreTransaction) throws(TreeError) -> Bool {
    try rows.withCursor(.meta) { (cursor) throws(TreeError) in
      try cursor.seek(atLeast: prefix) && cursor.key.starts(with: prefix)
    }
  }

  /// - Parameter reissue: The change that did it again.
  func store(
    _ void: LogPosition, reissue: Bytes32?, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    try rows.put(.meta, ReissueMark.prefix + void.hash.bytes, [rawValue])
    guard let reissue else { return }
    // What was done again twice over is still the first of them.
    let origin = try ReissueMark.origin(of: void.hash, rows) ?? void
    let row = origin.log.bytes + RowKey.commit(origin.seq) + origin.hash.bytes
    try rows.put(.meta, ReissueMark.originPrefix + reissue.bytes, row)
  }

  /// The void change that a change has done again.
  static func origin(of reissue: Bytes32, _ rows: borrowing StoreTransaction) throws(TreeError) -> LogPosition? {
    guard let row = try rows.get(.meta, originPrefix + reissue.bytes) else { return nil }
    guard row.count == 56 else {
      throw TreeError(.damaged, "what a change has done again has \(row.count) bytes", advice: Store.damageAdvice)
    }
    return LogPosition(log: LogID(row[..<16]), seq: RowKey.number(row[16..<24]), hash: Bytes32(row[24...]))
  }
}
