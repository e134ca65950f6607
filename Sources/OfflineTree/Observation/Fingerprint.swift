/// What tells whether a node's value or priorities have changed, without keeping them: a hash that is keyed anew in each
/// process, so that nobody can make two values that have the same.
enum Fingerprint {
  /// A node with more leaves is not hashed whenever it is touched: it counts as changed.
  static let leafLimit = 1_024

  /// Nil for a node with too many leaves.
  static func of(
    _ path: PathKey, _ rows: borrowing StoreTransaction, _ replica: Replica
  ) throws(TreeError) -> Int? {
    var hasher = Hasher()
    var leaves = 0
    try PathTable.tree.forEach(prefix: path.bytes, in: rows) { (key, row) throws(TreeError) in
      leaves += 1
      guard leaves <= leafLimit else { return false }
      unsafe key.extracting(path.bytes.count...).withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
      combine(try Register.decodeShown(row), into: &hasher)
      return true
    }
    if leaves > leafLimit { return nil }
    hasher.combine(leaves)
    if leaves > 0, try !PathTable.priority.isEmpty(in: rows) {
      var shown: [PathKey: Scalar] = [:]
      try replica.collectPriorities(below: path, into: &shown, rows)
      for (path, priority) in shown.sorted(by: { $0.key < $1.key }) {
        hasher.combine(path)
        combine(priority, into: &hasher)
      }
    }
    return hasher.finalize()
  }

  /// Of the node's own scalar and priority alone.
  static func ofNode(
    _ path: PathKey, _ rows: borrowing StoreTransaction, _ replica: Replica
  ) throws(TreeError) -> Int {
    var hasher = Hasher()
    combine(try TreeReader.scalar(path, rows), into: &hasher)
    if try TreeReader.exists(path, rows) {
      combine(try replica.shownPriority(path, try replica.priorities(path, rows), rows)?.value, into: &hasher)
    }
    return hasher.finalize()
  }

  /// Numbers that are equal are no change, of whichever kind they are.
  private static func combine(_ scalar: Scalar?, into hasher: inout Hasher) {
    if case .double(let number)? = scalar, let whole = Int64(exactly: number) {
      hasher.combine(Scalar?.some(.int(whole)))
    } else {
      hasher.combine(scalar)
    }
  }
}
