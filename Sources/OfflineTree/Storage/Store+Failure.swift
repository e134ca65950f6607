internal import CLMDB

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension Store {
  /// The one place that turns an LMDB result code into an error.
  ///
  /// - Parameter doing: What was being done, as a sentence's beginning: "cannot open the database in".
  static func error(_ code: Int32, _ doing: String, _ subject: String) -> TreeError {
    if code > 0 { return FileSystem.error(code, doing, subject) }
    let kind: TreeError.Code
    let advice: String
    switch code {
    case MDB_NOTFOUND:
      (kind, advice) = (.notFound, "")
    case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INVALID, MDB_INCOMPATIBLE:
      (kind, advice) = (.damaged, Self.damageAdvice)
    case MDB_PANIC:
      (kind, advice) = (.damaged, "Close every program that uses this home, and open it again")
    case MDB_VERSION_MISMATCH:
      (kind, advice) = (.unsupportedVersion, "Use the version of the program and of LMDB that wrote it")
    case MDB_MAP_FULL:
      (kind, advice) = (.full, "Raise the limit of address space (ulimit -v) or OFFLINETREE_MAP_SIZE")
    case MDB_TXN_FULL:
      (kind, advice) = (.limitExceeded, "Write it in several smaller changes")
    case MDB_READERS_FULL:
      (kind, advice) = (.full, "Close some of the programs that read this home")
    case MDB_BAD_VALSIZE:
      (kind, advice) = (.limitExceeded, "")
    case MDB_MAP_RESIZED:
      (kind, advice) = (.unavailable, "End the read transaction around this one, and try again")
    default:
      (kind, advice) = (.internal, "")
    }
    let words = unsafe mdb_strerror(code).map { unsafe String(cString: $0) }
    return TreeError(kind, "\(doing) \(subject)", advice: advice, underlying: words)
  }

  package static let damageAdvice = "Move this home away and join again, or restore it from a backup, then sync"
}
