/// What stands first in a checkpoint: of which space it is.
extension CheckpointLoader {
  /// Takes a checkpoint in with all that comes with it, if the founder's device vouches for it.
  ///
  /// - Parameter state: Of a home that has nothing of its space yet; it stays as it is.
  /// - Returns: The state with which the home begins; its rows are written.
  static func take(
    _ bundle: CheckpointBundle, in state: Replica, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Replica {
    try state.requireVouched(bundle.checkpoint, bundle.proof)
    var loader = CheckpointLoader(state)
    try loader.load(bundle.checkpoint, rows)
    if loader.state.authority.keeps(history: state.device) {
      throw TreeError(
        .refused, "others rely on this device to keep all history: it reads all of it, and begins with no checkpoint")
    }
    try loader.state.requireProof(bundle.proof)
    // Last, since there may be many: by now somebody has vouched for all else.
    var begun = loader.state
    try bundle.heads.read { head throws(TreeError) in try begun.take(head, rows) }
    return begun
  }

  /// The genesis record of this space, with no more opened than the first piece.
  ///
  /// - Throws: `.damaged`, `.limitExceeded` or `.unsupportedVersion`.
  static func genesis(of checkpoint: Checkpoint, _ state: Replica) throws(TreeError) -> Genesis {
    var reader = try CheckpointReader(firstPieceOf: checkpoint)
    guard let first = try reader.record(), first.kind == .header, let second = try reader.record(),
      second.kind == .genesis
    else { throw damaged("its records are not in order") }
    var bytes = ByteReader(first.body)
    guard try header(&bytes, state).clockDigest == checkpoint.clockDigest else {
      throw damaged("it is of another clock")
    }
    try bytes.finish("header of a checkpoint")
    bytes = ByteReader(second.body)
    return try genesis(&bytes, state)
  }

  static func header(
    _ reader: inout ByteReader, _ state: Replica
  ) throws(TreeError) -> (stateHash: Bytes16, clockDigest: Bytes32) {
    guard try reader.u8("version of a checkpoint") == Checkpoint.version else {
      throw TreeError(.unsupportedVersion, "a newer version made the checkpoint", advice: "Update this program")
    }
    guard try reader.bytes32("space") == state.space else { throw damaged("it is of another space") }
    guard try reader.varint("block of history") == state.block else { throw damaged("its blocks are others") }
    return (try reader.bytes16("state hash"), try reader.bytes32("digest of the clock"))
  }

  static func genesis(_ reader: inout ByteReader, _ state: Replica) throws(TreeError) -> Genesis {
    let genesis = try Genesis(decoding: reader.rest())
    guard genesis.spaceID == state.space else { throw damaged("its genesis is another's") }
    return genesis
  }
}
