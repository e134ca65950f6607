/// Reads checkpoints as a newcomer does, and keeps nothing: for keepers, which hand on what newcomers take, and for fuzzing.
package final class CheckpointTrial: Sendable {
  private let store: Store
  private let block: UInt64

  /// What ends a trial whose checkpoint can be taken.
  private struct Taken: Error {}

  /// - Parameters:
  ///   - folder: One that is there; nothing in it is needed once this is made.
  ///   - block: Changes in a block of history.
  package init(in folder: String, block: UInt64) throws(TreeError) {
    store = try Store.open(folder, options: StoreOptions(durability: .unsafeNoSync))
    self.block = block
  }

  /// Takes a checkpoint with all that comes with it.
  ///
  /// - Throws: Why it is not taken.
  func take(_ bundle: CheckpointBundle, space: SpaceID) throws(TreeError) {
    try attempt(space) { (state, rows) throws(TreeError) in _ = try CheckpointLoader.take(bundle, in: state, rows) }
  }

  /// Takes the bytes of a checkpoint of one piece, whoever vouches for them.
  ///
  /// - Throws: Why they are not taken.
  package func take(_ plaintext: [UInt8], space: SpaceID) throws(TreeError) {
    guard !plaintext.isEmpty, plaintext.count <= Checkpoint.pieceBytes else {
      throw TreeError(.limitExceeded, "a trial is of one piece")
    }
    let checkpoint = Checkpoint(
      hash: Checkpoint.hash(ofPieces: Sodium.hash32(plaintext).bytes), clockDigest: Self.clockDigest(in: plaintext),
      byteCount: plaintext.count, pieces: [try Zstd.compress(plaintext)])
    try attempt(space) { (state, rows) throws(TreeError) in
      var loader = CheckpointLoader(state)
      try loader.load(checkpoint, rows)
    }
  }

  private func attempt(
    _ space: SpaceID, _ body: (Replica, borrowing StoreTransaction) throws(TreeError) -> Void
  ) throws(TreeError) {
    do {
      try store.write { rows in
        var state = Replica(space: space, device: .zero)
        state.block = block
        try body(state, rows)
        throw Taken()
      }
    } catch is Taken {
      return
    } catch let error as TreeError {
      throw error
    } catch {
      throw TreeError(.internal, "a checkpoint could not be read", underlying: "\(error)")
    }
  }

  /// Is nothing there of what was tried?
  package func isEmpty() throws -> Bool {
    try store.read { rows in
      for table in Table.allCases where try !rows.isEmpty(table) { return false }
      return true
    }
  }

  /// The digest that the header names, so that it is not refused for that alone.
  private static func clockDigest(in plaintext: [UInt8]) -> Bytes32 {
    var reader = ByteReader(plaintext)
    guard let length = try? reader.varint("length"), let body = try? reader.bytes(Int(clamping: length), "header"),
      body.count >= 32
    else { return .zero }
    return Bytes32(body.suffix(32))
  }
}
