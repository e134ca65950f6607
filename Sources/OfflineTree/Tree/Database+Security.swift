/// What the replicator asks about keys and members.
extension Database {
  /// The keys with which this device can open things, and the one with which it seals.
  package func epochs() throws(TreeError) -> Epochs {
    try view { _, replica in epochs(replica) }
  }

  /// - Parameter replica: As it is committed.
  func epochs(_ replica: Replica) -> Epochs { keyrings.withLock { $0.epochs(replica) } }

  /// Looks for keys that are sealed for this device, or in lockboxes that it can open, in changes that cannot be applied yet: a device that was away, and
  /// one that came by a late invite, have to open what is newer before they can take in what is older.
  ///
  /// - Parameter wanted: Epochs whose keys would open something.
  /// - Returns: Whether there was a new one; then files that were locked are worth another try.
  package func learnKeys(from runs: [ChangeRun], wanted: Set<EpochID>) throws(TreeError) -> Bool {
    var sealed: [ControlOperation] = []
    for body in runs.flatMap(\.bodies) {
      guard case .change(let change, _)? = try? Change.decode(body) else { continue }
      sealed += change.controls
    }
    return try view { _, replica in keyrings.withLock { $0.learn(sealed, wanted: wanted, replica) } }
  }

  /// May a device connect?
  package func standing(of device: Bytes32) throws(TreeError) -> DeviceStanding {
    try view { _, replica in
      guard replica.authority.devices.contains(device) else { return .unknown }
      return replica.authority.isEnded(device) ? .ended : .member
    }
  }

  /// The device of an introduction that would count here, if it would; for devices that nobody has heard of.
  /// - Parameter claim: The canonical bytes of an introduction.
  package func admits(_ claim: [UInt8]) throws(TreeError) -> Bytes32? {
    guard let introduction = try? Introduction.decode(claim) else { return nil }
    return try view { _, replica in replica.admits(introduction) ? introduction.deviceKey : nil }
  }

  /// What this device shows to those who may not have heard of it: its introduction; nil for a founder.
  package func claim() throws(TreeError) -> [UInt8]? {
    try view { rows, replica in try replica.claim(rows)?.encoded }
  }

  /// Has this device not introduced itself yet? Then it cannot judge who is a member.
  package func isNewcomer() throws(TreeError) -> Bool {
    try view { _, replica in !replica.isIntroduced }
  }

  /// Signs for that purpose, with this device's key.
  package func sign(_ purpose: SignaturePurpose, _ content: [UInt8]) -> Signature {
    keys.sign(purpose.message(spaceID, content))
  }
}
