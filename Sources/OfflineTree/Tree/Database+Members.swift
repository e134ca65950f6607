/// Who is in the space, and how that changes. Every call that changes something is one atomic change, durable when it
/// returns; others learn of it when they sync.
extension Database {
  /// Makes an invite and registers it.
  ///
  /// - Parameters:
  ///   - expires: Milliseconds since 1970 after which this device ends it; without one after 7 days.
  ///   - addresses: Where devices can be met, for whoever joins.
  /// - Throws: `refused` if this device may not invite.
  public func invite(
    role: Role = .member, expires: Int64? = nil, addresses: [String] = []
  ) throws -> Invite {
    var seed = environment.randomBytes(32)
    let secret = Secret(&seed)
    let publicKey = Invite.signingKey(secret).publicKey
    let now = environment.wallClock()
    let end = expires ?? min(now, .max - Database.inviteMilliseconds) + Database.inviteMilliseconds
    let terms = ControlOperation.InviteTerms(publicKey: publicKey, role: role, notAfter: UInt64(clamping: end))
    let current = Monitor<EpochKeys?>(nil)
    let registration = try control { [self] state, _ in
      // Who comes by it has the key of now alone, and what is before is sealed under others.
      let key = try state.currentKey(Epochs(state, keyring(state), keys))
      current.withLock { $0 = key }
      let lockbox = state.lockbox(under: key, keyring(state), randomBytes: environment.randomBytes)
      return [.invite(terms)] + [lockbox].compactMap { $0 }
    }
    guard let current = current.withLock({ $0 }) else { throw TreeError(.internal, "an invite has no key") }
    var epochKey = current.key.copyBytes()
    return try Invite(
      spaceID: spaceID, seed: secret, epochKey: Secret(&epochKey),
      registration: Invite.Registration(
        log: registration.log, seq: registration.seq, hash: registration.hash.prefix16),
      addresses: addresses)
  }

  /// How long an invite stands of which nothing else was said: 7 days.
  private static let inviteMilliseconds: Int64 = 7 * 86_400_000

  /// Ends an invite: who has not joined by it by now, cannot any more.
  public func endInvite(_ publicKey: Bytes32) throws {
    try control { state, _ in
      guard state.authority.invites.contains(where: { $0.terms.publicKey == publicKey }) else {
        throw TreeError(.notFound, "there is no such invite", advice: "List the invites to see them.")
      }
      return [.end(.invite(publicKey))]
    }
  }

  /// Gives a device a role, and takes a higher one back.
  public func grant(_ role: Role, to device: Bytes32) throws {
    try control { [self] state, _ in
      try state.requireMember(device)
      let rank = state.authority.rank(of: device)
      if rank == .founder {
        throw TreeError(
          .refused, "the device that made the space keeps its role",
          advice: "If it is lost, the recovery code ends it and makes another device an owner.")
      }
      if device != deviceKey, rank >= state.authority.rank(of: deviceKey) {
        throw TreeError(
          .refused, "this device may not do that: it may not change the role of the device \(device.prefix16)",
          advice: "The device that made the space can, and so can its recovery code.")
      }
      return rank > Rank(role) ? [.end(.role(device)), .grant(device: device, role)] : [.grant(device: device, role)]
    }
  }

  /// Removes devices: ends them, ends every open invite that this device may end, and rotates the key.
  ///
  /// They can read what was there before, and nothing that is made from now on by those who have heard of it.
  /// - Throws: `refused` if this device may not end all of them; then nothing is changed.
  public func removeMembers(_ devices: [Bytes32]) throws {
    try remove(devices, recovery: nil)
  }

  /// Changes the space's key, so that nobody but the members of now reads what follows.
  public func rotate() throws {
    try control { [self] state, _ in
      [try state.rotation(without: [], keyring(state), randomBytes: environment.randomBytes)]
    }
  }

  /// Makes this device an owner by the code that was printed when the space was made, and removes lost devices.
  /// - Throws: `refused` if it is not this space's code.
  public func recoverOwner(_ code: RecoveryCode, removing devices: [Bytes32] = []) throws {
    try remove(devices, recovery: code)
  }

  /// Open invites beyond this number are ended before, in changes of their own: a change has room for so many acts.
  static let invitesPerChange = 1_000

  private func remove(_ devices: [Bytes32], recovery: RecoveryCode?) throws {
    let removed = Set(devices)
    try view { [self] _, replica in
      try requireVoice(of: replica, recovery)
      try replica.requireRemovable(removed, recovery)
    }
    var left = Int.max
    while !removed.isEmpty {
      let open = try view { _, replica in replica.openInvites(endableBy: replica.endingRank(recovery)) }
      // What others registered as well may stay open.
      if open.count <= Self.invitesPerChange || open.count >= left { break }
      left = open.count
      try control(recovery: recovery) { _, _ in open.prefix(Self.invitesPerChange).map { .end(.invite($0)) } }
    }
    try control(recovery: recovery) { [self] state, _ in
      try state.requireRemovable(removed, recovery)
      var controls: [ControlOperation] = recovery == nil ? [] : [.grant(device: deviceKey, .owner)]
      if removed.isEmpty { return controls }
      controls += removed.map { .end(.device($0)) }
      controls += state.openInvites(endableBy: state.endingRank(recovery))
        .prefix(Self.invitesPerChange).map { .end(.invite($0)) }
      controls.append(try state.rotation(without: removed, keyring(state), randomBytes: environment.randomBytes))
      return controls
    }
  }

  /// Ends this device: it cannot write any more, and nobody connects with it. Sync once more, so that others hear of it.
  public func leave() throws {
    try control { state, _ in [.end(.device(state.device))] }
  }

  /// Says what people call this device from now on.
  public func renameDevice(_ name: String) throws {
    try Database.requireName(name)
    try control { _, rows in
      try OpenedHome.setName(name, rows)
      return [.deviceName(name)]
    }
    self.name.withLock { $0 = name }
  }

  /// Ends a log, as introduced.
  package func end(log: LogID) throws {
    try control { _, _ in [.end(.log(log))] }
  }

  /// Does what the space needs now and then: delivers keys to newcomers whom a rotation did not know, rotates again
  /// where rotations did not know of each other, ends invites whose time is over. Cheap when nothing is due.
  package func upkeep() throws(TreeError) {
    let isDone = try view { [self] rows, replica in
      // What is committed is worked out once, and not again for each staged state.
      if replica.authority.hasRotations { _ = epochs(replica) }
      return try due(replica, rows).isEmpty
    }
    if isDone { return }
    while try submit({ [self] rows, state in
      let due = try due(state, rows)
      if due.isEmpty { return false }
      let draft = Replica.Draft(controls: due.normalized, wallTime: environment.wallClock())
      try state.write(draft, deviceName: deviceName, environment: environment, rows)
      try state.flush(rows)
      if case .keep = due.first { try state.adoptLastWord(rows) }
      return true
    }) {}
  }

  private func due(_ state: Replica, _ rows: borrowing StoreTransaction) throws(TreeError) -> [ControlOperation] {
    let due = try state.upkeep(keyring(state), now: environment.wallClock(), randomBytes: environment.randomBytes)
    // What is sealed apart goes alone.
    if !due.isEmpty { return due }
    return try state.dueWordOnKeeping(rows).map { [$0] } ?? []
  }

  // MARK: The one way to write control changes

  /// Writes one act of this device, and says where it stands.
  func control(_ operation: ControlOperation) throws -> LogPosition { try control { _, _ in [operation] } }

  /// The keys that a state gives, a staged one too.
  func keyring(_ state: Replica) -> Keyring {
    var keyrings = keyrings.withLock { $0 }
    return keyrings.keyring(state)
  }

  /// What a removed device does is void, whatever it is.
  private func requireVoice(of state: Replica, _ recovery: RecoveryCode?) throws(TreeError) {
    guard recovery == nil, !allowsVoidWrites, state.isSilenced else { return }
    throw TreeError(
      .refused, "this device is out of the space",
      advice: "What it has stays readable here. To come back it needs a new invite and a new home.")
  }

  /// Writes one change of control operations, and says where it stands.
  @discardableResult
  private func control(
    recovery: RecoveryCode? = nil,
    _ make: @escaping @Sendable (Replica, borrowing StoreTransaction) throws -> [ControlOperation]
  ) throws -> LogPosition {
    try noting {
      try queue.submit { [self] rows, state in
        try requireVoice(of: state, recovery)
        var draft = Replica.Draft(wallTime: environment.wallClock())
        draft.controls = try make(state, rows).normalized
        draft.recovery = recovery
        state.allowsVoidWrites = allowsVoidWrites
        try state.write(draft, deviceName: deviceName, environment: environment, rows)
        try state.flush(rows)
        guard let position = state.writtenPosition else { throw TreeError(.internal, "a control change has no place") }
        return position
      }
    }
  }
}

extension Replica {
  fileprivate func requireMember(_ device: Bytes32) throws(TreeError) {
    guard authority.devices.contains(device) else {
      throw TreeError(.notFound, "there is no such device in the space", advice: "List the members to see them.")
    }
  }

  /// May this device end all of these, with the recovery code if there is one?
  fileprivate func requireRemovable(_ devices: Set<Bytes32>, _ recovery: RecoveryCode?) throws(TreeError) {
    if let recovery, let genesis, genesis.recoveryKey != recovery.publicKey {
      throw TreeError(
        .refused, "this is not the recovery code of this space", advice: "Look for the code that init printed.")
    }
    if devices.contains(device) {
      throw TreeError(.refused, "a device does not remove itself", advice: "Let it leave, or remove it elsewhere.")
    }
    for other in devices {
      try requireMember(other)
      // An end that reaches nobody would rotate the key all the same, and keep the device.
      if max(authority.rank(of: other), .member) >= endingRank(recovery) {
        throw TreeError(
          .refused, "this device may not do that: it may not end the device \(other.prefix16)",
          advice: "The device that made the space can, and so can its recovery code.")
      }
    }
  }

  /// With what rank this device ends others.
  fileprivate func endingRank(_ recovery: RecoveryCode?) -> Rank {
    recovery == nil ? authority.rank(of: device) : .recovery
  }

  /// Invites that stand open and that somebody of the rank may end, sorted.
  func openInvites(endableBy rank: Rank) -> [Bytes32] {
    let keys = authority.invites.filter { invite in
      authority.isOpen(invite: invite.terms.publicKey)
        && (rank > Rank(invite.terms.role) || authority.records[invite.record].device == device)
    }
    return Set(keys.map(\.terms.publicKey)).sorted()
  }
}
