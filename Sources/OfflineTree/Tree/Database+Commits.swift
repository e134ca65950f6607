extension Database {
  /// The number of the last commit, of whatever process.
  package func lastCommit() throws(TreeError) -> UInt64 { try view { rows, _ in rows.identifier } }

  /// The last commit that was brought to the disk because somebody was to hear of it; 0 before the first. Of use only
  /// where commits do not wait for the disk.
  package var lastSyncedCommit: UInt64 { synced.withLock { $0 } }
}
