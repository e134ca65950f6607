/// A newcomer's way in: from the claim that its invite signed to its introduction.
extension Replica {
  /// The introduction with which this device begins its first log, or has begun it; nil for a founder.
  func claim(_ rows: borrowing StoreTransaction) throws(TreeError) -> Introduction? {
    guard let bytes = try rows.get(.meta, MetaKey.claim) else { return nil }
    return try Introduction.decode(bytes)
  }

  /// Has this device a log in the space? In a copy of a home it may be one that the copy did not write.
  var isIntroduced: Bool { (indicesByDevice[device] ?? []).contains { !logs[$0].isEmpty } }

  /// Why this device cannot introduce itself.
  func refusal(of claim: Introduction) -> TreeError {
    guard let invite = claim.standing.invite, authority.registration(of: invite) != nil else {
      return TreeError(
        .refused, "this device's invite is not here yet",
        advice: "Sync once first, with the device that made the invite or one that has met it.")
    }
    let reason =
      authority.isUsedUp(invite: invite)
      ? "has let in \(Limits.devicesPerInvite) devices, and lets in no more" : "was ended"
    return TreeError(
      .refused, "the invite of this device \(reason)", advice: "Ask for a new invite, and join with a new home.")
  }

  /// Introduces this device as soon as it knows the space and its invite stands.
  mutating func introduceIfDue(_ wallTime: Int64, _ rows: borrowing StoreTransaction) throws(TreeError) {
    // A repaired home may have introduced itself before: others bring that back, or its next write does it again.
    guard genesis != nil, !isIntroduced, try rows.get(.meta, MetaKey.repaired) == nil, let claim = try claim(rows),
      admits(claim)
    else { return }
    _ = try introduce(by: claim, wallTime, rows)
  }

  /// Introduces this device as its claim says.
  mutating func introduce(
    by claim: Introduction, _ wallTime: Int64, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Int {
    if try waits(claim.logID(space: space), rows) {
      throw TreeError(
        .refused, "this device's own history waits for what others have", advice: "Sync once first, and try again.")
    }
    return try introduce(
      random: claim.random, deviceName: claim.deviceName, standing: claim.standing, wallTime: wallTime, stamp: nil,
      rows)
  }

  /// Does a change of that log wait for others?
  private func waits(_ log: LogID, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bool {
    try rows.withCursor(.waiting) { (cursor) throws(TreeError) in
      try cursor.seek(atLeast: log.bytes) && cursor.keyBytes.starts(with: log.bytes)
    }
  }

  /// Would an introduction like this count for somebody who knows everything that is here?
  func admits(_ claim: Introduction) -> Bool {
    guard case .join(let invite, _) = claim.standing, claim.joinFault(space: space) == nil else { return false }
    return authority.isOpen(invite: invite) && !authority.isUsedUp(invite: invite)
      && authority.ending(of: claim.deviceKey) == nil
  }
}
