internal import CLMDB

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Writing the data file anew without its free pages, while nobody has it open.
extension Store {
  /// Bytes of a data file before and after.
  package struct Sizes: Sendable, Equatable {
    package var before: Int
    package var after: Int
  }

  /// One data file in the place of another.
  package struct Replacement {
    package let old: FileSystem.Identity
    package let new: FileSystem.Identity
    /// The last commit of the old file.
    package let last: UInt64
  }

  /// Copies what is used of the data file in a folder to a new one, which takes its place. Commits are counted on in it.
  ///
  /// A crash at any point leaves the old file or the new one, whole. Needs as much room as is used.
  /// - Parameter prepare: Writes to the new file, before it takes the place; if nothing is won, the old file stays.
  /// - Throws: `unavailable` if the folder is open in this or another process; `damaged` if a page of the file is, whose
  ///   older states, which a repair may need, the copy would not have.
  package static func shrink(
    _ path: String, prepare: (borrowing StoreTransaction, Replacement) throws -> Void
  ) throws -> Sizes {
    try withoutStore(path) {
      let lock = try OpenLock(path, isAlone: true)
      defer { withExtendedLifetime(lock) {} }
      let data = "\(path)/data.mdb"
      try requireSound(data)
      let folder = "\(path).new"
      try removeCopy(folder)
      defer { try? removeCopy(folder) }
      var sizes = Sizes(before: try FileSystem.size(of: data), after: 0)
      let last = try copy(path, to: folder)
      let copied = "\(folder)/data.mdb"
      let number = try DataFile.countOn(copied, from: last)
      let replacement = Replacement(
        old: try FileSystem.identity(data), new: try FileSystem.identity(copied), last: last)
      try Store.open(folder).write { rows in
        guard rows.identifier == number + 1 else {
          throw TreeError(.internal, "the commit \(rows.identifier) follows \(number)", advice: "Report this.")
        }
        try prepare(rows, replacement)
      }
      sizes.after = try FileSystem.size(of: copied)
      guard sizes.after < sizes.before else { return Sizes(before: sizes.before, after: sizes.before) }
      try FileSystem.sync(copied)
      try FileSystem.retrying("cannot replace", data) { unsafe rename(copied, data) }
      try FileSystem.syncDirectory(path)
      return sizes
    }
  }

  private static func requireSound(_ data: String) throws(TreeError) {
    guard let problem = try SalvageFile(data).problems(maximumBytes: .max).first else { return }
    throw TreeError(.damaged, "\(data) is damaged: \(problem)", advice: damageAdvice)
  }

  /// - Returns: The number of the last commit.
  private static func copy(_ path: String, to folder: String) throws(TreeError) -> UInt64 {
    try FileSystem.makeDirectory(folder)
    var information = unsafe MDB_envinfo()
    unsafe try withEnvironment(path, flags: MDB_RDONLY | MDB_NOLOCK) { environment in
      let code = unsafe mdb_env_info(environment, &information)
      return code != 0 ? code : unsafe mdb_env_copy2(environment, folder, UInt32(MDB_CP_COMPACT))
    }
    let copied = "\(folder)/data.mdb"
    try FileSystem.retrying("cannot set the permissions of", copied) { unsafe chmod(copied, 0o600) }
    return unsafe UInt64(information.me_last_txnid)
  }

  private static func withEnvironment(
    _ path: String, flags: Int32, _ body: (OpaquePointer) -> Int32
  ) throws(TreeError) {
    var created: OpaquePointer?
    let made = unsafe mdb_env_create(&created)
    guard made == 0, let environment = unsafe created else { throw error(made, "cannot open the database in", path) }
    defer { unsafe mdb_env_close(environment) }
    var code = unsafe mdb_env_set_maxreaders(environment, maximumReaders)
    if code == 0 { code = unsafe mdb_env_open(environment, path, UInt32(flags), 0o600) }
    if code == 0 { code = unsafe body(environment) }
    if code != 0 { throw error(code, "cannot write the data file anew in", path) }
  }

  private static func removeCopy(_ folder: String) throws(TreeError) {
    guard FileSystem.exists(folder) else { return }
    for name in try FileSystem.list(folder) { try FileSystem.remove("\(folder)/\(name)") }
    try FileSystem.retrying("cannot remove", folder) { unsafe rmdir(folder) }
  }
}
