internal import CLMDB

/// What happened in one write transaction, its children included.
///
/// Touched only by the thread of the transaction.
final class WriteRecord {
  /// Whether there is anything to commit. LMDB gives the transaction a number only then.
  var hasChanges = false
  /// Counts what was written, so that a cursor knows when its key and value may have moved.
  private(set) var writes = 0
  /// Whether the map was too small: it grows, and everything runs again.
  private(set) var mapIsFull = false
  /// What ended the transaction from inside, whether or not somebody caught it: it can only be aborted.
  private(set) var fatal: TreeError?

  func countWrite() {
    hasChanges = true
    writes += 1
  }

  func note(_ code: Int32, _ error: TreeError) {
    switch code {
    case MDB_NOTFOUND, MDB_KEYEXIST, MDB_BAD_VALSIZE:
      break
    case MDB_MAP_FULL:
      mapIsFull = true
      fatal = fatal ?? error
    default:
      fatal = fatal ?? error
    }
  }
}

extension StoreTransaction {
  /// Whether there is anything to commit.
  var hasChanges: Bool { record?.hasChanges ?? false }
  /// Whether the map was too small for something in here.
  var needsLargerMap: Bool { record?.mapIsFull ?? false }
  /// What ended this transaction from inside.
  var fatalError: TreeError? { record?.fatal }
}
