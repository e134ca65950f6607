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

  /// Keeps a checkpoint that was put together at `newCheckpointPath`, if newcomers take it, so that this device hands it on.
  ///
  /// - Complexity: O(bytes), as a newcomer takes to begin with it.
  /// - Throws: As `requireTakable`.
  package func keepCheckpoint(from file: LocalFile) throws(TreeError) {
    try requireTakable(file)
    try file.sync()
    try FileSystem.rename(newCheckpointPath, to: checkpointPath)
    try FileSystem.syncDirectory(home)
  }

  /// Would a newcomer take the checkpoint that stands in a file? One begins with it, in a database of which nothing stays.
  ///
  /// - Complexity: O(bytes), a piece in memory at a time.
  /// - Throws: `.damaged`, `.limitExceeded`, `.unsupportedVersion`, or `.refused` where nobody vouches for it; `.full` and
  ///   `.inputOutput` say nothing of it.
  package func requireTakable(_ file: LocalFile) throws(TreeError) {
    let bundle = try CheckpointBundle(reading: file)
    let block = try view { _, replica in
      try replica.requireVouched(bundle.checkpoint, bundle.proof)
      return replica.block
    }
    let folder = "\(home)/checkpoint.trial"
    // One of before may be there still, if its process was ended.
    try Self.removeFolder(folder)
    try FileSystem.makeDirectory(folder)
    do throws(TreeError) {
      try CheckpointTrial(in: folder, block: block).take(bundle, space: spaceID)
    } catch {
      try Self.removeFolder(folder)
      throw error
    }
    try Self.removeFolder(folder)
  }

  private static func removeFolder(_ folder: String) throws(TreeError) {
    guard FileSystem.exists(folder) else { return }
    for name in try FileSystem.list(folder) { try FileSystem.remove("\(folder)/\(name)") }
    try FileSystem.remove(folder)
  }

  /// Who vouches, by the bytes with which a checkpoint's file begins: a part of it that holds the proof and the first piece.
  ///
  /// - Returns: The last change of the proof.
  /// - Throws: `.damaged`, `.limitExceeded`, `.unsupportedVersion`; `.refused` if it is not the founder's device.
  package func vouchedPosition(inBeginning bytes: [UInt8]) throws(TreeError) -> LogPosition {
    var reader = ByteReader(bytes)
    let beginning = try CheckpointBundle.Beginning(&reader)
    guard let position = beginning.position, beginning.pieceCount > 0 else {
      throw TreeError(.damaged, "a checkpoint has no proof or no pieces")
    }
    let first = Array(try reader.prefixed("checkpoint's piece", limit: Zstd.bound(Checkpoint.pieceBytes)))
    try view { _, replica in
      try replica.requireVouched(beginning.checkpoint(endingWith: first), beginning.proof)
    }
    return position
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
