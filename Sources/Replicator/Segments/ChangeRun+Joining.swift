package import OfflineTree

extension ChangeRun {
  /// The part after `position`, if the run passes through exactly that change; nil if it does not, or ends there.
  ///
  /// - Complexity: O(bytes up to the position), which are hashed.
  package func suffix(after position: LogPosition) -> ChangeRun? {
    guard position.log == log, position.seq >= first, position.seq < last else { return nil }
    let kept = Int(position.seq - first) + 1
    let passed = ChangeRun(log: log, first: first, hashBefore: hashBefore, bodies: Array(bodies[..<kept]))
    guard passed.head == position.hash else { return nil }
    var suffix = ChangeRun(
      log: log, first: position.seq + 1, hashBefore: position.hash, bodies: Array(bodies[kept...]),
      signature: signature)
    suffix.epoch = epoch
    return suffix
  }

  /// This run and `next`, which begins where this one ends; the signature is the second one's.
  func joined(with next: ChangeRun) -> ChangeRun {
    precondition(next.log == log && next.first == last + 1, "runs follow each other")
    var whole = ChangeRun(
      log: log, first: first, hashBefore: hashBefore, bodies: bodies + next.bodies, signature: next.signature)
    whole.epoch = epoch
    return whole
  }
}
