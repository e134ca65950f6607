/// Whose word a newcomer takes for a checkpoint: the founder's device's, whose key is known from the space's id. Who else is
/// an owner could be forged among what the checkpoint says of dropped history.
extension Replica {
  /// Has the founder's device of this space signed that it vouches for it? Asked before anything is taken in, by the proof
  /// and the first piece alone.
  func requireVouched(_ checkpoint: Checkpoint, _ proof: ChangeRun) throws(TreeError) {
    let founder = try CheckpointLoader.genesis(of: checkpoint, self).founder
    guard !proof.bodies.isEmpty, proof.isWithinLimits, proof.byteCount <= CheckpointBundle.proofBytes,
      signatureFault(proof, device: founder, head: proof.head) == nil
    else { throw TreeError(.refused, "who vouches for the checkpoint has not signed that") }
    for body in proof.bodies {
      if case .change(let change, nil) = try Change.decode(body), change.controls.contains(checkpoint.attestation) {
        return
      }
    }
    throw TreeError(.refused, "the checkpoint is not the one for which is vouched")
  }

  /// Once it is taken in: does the proof go on from it, and does the founder's device still have a voice in it?
  func requireProof(_ proof: ChangeRun) throws(TreeError) {
    guard let device = device(of: proof.log), device == genesis?.founder, !authority.isEnded(device) else {
      throw TreeError(.refused, "nobody vouches for the checkpoint whose word counts")
    }
    let isBehind = (indices[proof.log] ?? []).contains { index in
      logs[index].count == proof.first && logs[index].head == proof.hashBefore
    }
    guard isBehind else { throw TreeError(.refused, "what is vouched for is not what the checkpoint ends in") }
  }
}
