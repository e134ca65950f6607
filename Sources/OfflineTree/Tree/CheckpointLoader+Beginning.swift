/// What stands first in a checkpoint: of which space it is.
extension CheckpointLoader {
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
