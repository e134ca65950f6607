/// The checkpoint that a home keeps, as a file: what is put into folders, and what comes from them.
extension Database {
  /// A checkpoint's file, and the last change of its proof.
  package struct KeptCheckpoint: Sendable {
    package let file: LocalFile
    package let position: LogPosition
  }

  /// The checkpoint that this home keeps for newcomers, if it has the last change of the proof: else the database is an
  /// older state than the file, and what the file stands for may be nowhere else.
  package func keptCheckpointFile() throws(TreeError) -> KeptCheckpoint? {
    do throws(TreeError) {
      let file = try LocalFile(reading: checkpointPath)
      guard let position = try CheckpointBundle.beginning(of: file).0.position,
        try viewForOthers({ rows, replica in try replica.find(position, rows) != nil })
      else { return nil }
      return KeptCheckpoint(file: file, position: position)
    } catch {
      // A damaged one is of no use to anybody, and the next takes its place.
      if error.code == .notFound || error.code == .damaged { return nil }
      throw error
    }
  }

  /// Where a checkpoint that comes from a folder is put together.
  package var newCheckpointPath: String { "\(home)/checkpoint.new" }

  /// Keeps a checkpoint that was put together at `newCheckpointPath`, if the founder's device vouches for it, so that this
  /// device hands it on.
  ///
  /// - Complexity: O(bytes), a piece in memory at a time.
  /// - Throws: `.damaged`, `.limitExceeded`, `.unsupportedVersion`, or `.refused` where nobody vouches for it.
  package func keepCheckpoint(from file: LocalFile) throws(TreeError) {
    let bundle = try CheckpointBundle(reading: file)
    _ = try CheckpointReader(bundle.checkpoint)
    try view { _, replica in try replica.requireVouched(bundle) }
    try file.sync()
    try FileSystem.rename(newCheckpointPath, to: checkpointPath)
    try FileSystem.syncDirectory(home)
  }

  /// Does this device hand on the founder's checkpoints: does it keep all history, and is it another one?
  package func relaysCheckpoints() throws(TreeError) -> Bool {
    try view { _, replica in
      replica.authority.keeps(history: replica.device) && replica.genesis?.founder != replica.device
    }
  }

  /// How many changes a change of this replica had seen; nil if it is not here.
  package func changesSeen(by position: LogPosition) throws(TreeError) -> UInt64? {
    try view { rows, replica in
      guard let dot = try replica.find(position, rows) else { return nil }
      let context = try Replica.storedContext(of: dot, rows)
      return replica.logs.indices.reduce(0) { sum, index in
        let first = replica.logs[index].first
        return sum + (max(first, context.count(index)) - first)
      }
    }
  }

  /// How many changes are applied.
  package func changesApplied() throws(TreeError) -> UInt64 {
    try view { _, replica in replica.logs.reduce(0) { $0 + ($1.count - $1.first) } }
  }
}
