/// What a space needs now and then without anybody asking: keys for those who lack them, one epoch where there are
/// several, the end of invites whose time is over.
extension Replica {
  /// How long others have to act first, in milliseconds.
  private static let patience: Int64 = 60_000

  /// The control operations that are due by this device, or none.
  func upkeep(
    _ keyring: @autoclosure () -> Keyring, now: Int64, randomBytes: (Int) -> [UInt8]
  ) throws(TreeError) -> [ControlOperation] {
    guard currentLog != nil, !mustLeave, !authority.isEnded(device), !isSilenced else { return [] }
    // A change has room for so many; what is left is due afterwards.
    var due = expiredInvites(now).prefix(Database.invitesPerChange).map { ControlOperation.end(.invite($0)) }
    guard authority.hasRotations else { return due }
    let epochs = authority.epochs(at: nil)
    if epochs.count > 1 {
      guard authority.rank(of: device) >= .owner, isMyTurn(among: owners, since: lastRotation, now) else { return due }
      let keyring = keyring()
      if keyring.mix(epochs) != nil { due.append(try rotation(without: [], keyring, randomBytes: randomBytes)) }
      return due
    }
    guard let epoch = epochs.first, due.isEmpty else { return due }
    let keyring = keyring()
    guard let key = keyring[epoch] else { return due }
    // Each newcomer in a change of its own: it is sealed in the epoch that the newcomer can read.
    for newcomer in devicesWithoutKey(of: epoch, now) where isMyTurn(toServe: newcomer, epoch, now) {
      guard let boxKey = authority.boxKey(of: newcomer), let box = DeviceKeys.seal(key, for: newcomer, boxKey) else {
        continue
      }
      let lockbox = lockbox(under: key, keyring, randomBytes: randomBytes)
      return [.deliver(epoch, [box])] + [lockbox].compactMap { $0 }
    }
    return []
  }

  /// Own invites whose time is over, and that this device has not ended. They may stay open if others registered them.
  private func expiredInvites(_ now: Int64) -> [Bytes32] {
    let expired = authority.invites.filter { invite in
      invite.terms.notAfter > 0 && now > Int64(clamping: invite.terms.notAfter)
        && authority.records[invite.record].device == device
    }
    if expired.isEmpty { return [] }
    var ended: Set<Bytes32> = []
    for record in authority.records where record.device == device {
      for case .end(.invite(let key)) in record.controls { ended.insert(key) }
    }
    return expired.map(\.terms.publicKey).filter { ended.insert($0).inserted && authority.isOpen(invite: $0) }
  }

  private var owners: [Bytes32] {
    authority.devices.filter { authority.rank(of: $0) >= .owner && !authority.isEnded($0) }
  }

  private var lastRotation: Int64 {
    authority.standingRotations.map(\.wallTime).max() ?? 0
  }

  /// Two who act at once would only have to be merged again: the first in order acts, the others later.
  private func isMyTurn(among devices: [Bytes32], since: Int64, _ now: Int64) -> Bool {
    devices.min() == device || hasPassed(Replica.patience, since: since, now)
  }

  /// Who rotated, or invited the newcomer, acts at once.
  private func isMyTurn(toServe newcomer: Bytes32, _ epoch: EpochID, _ now: Int64) -> Bool {
    if newcomer == device { return false }
    let introduction = authority.records.first { $0.device == newcomer && $0.introduction != nil }
    var first: [Bytes32] = authority.standingRotations.filter { $0.rotation?.epoch == epoch }.map(\.device)
    if case .join(let invite, _)? = introduction?.introduction?.standing {
      first += authority.invites.filter { $0.terms.publicKey == invite }.map { authority.records[$0.record].device }
    }
    return first.contains(device) || hasPassed(Replica.patience, since: introduction?.wallTime ?? 0, now)
  }
}
