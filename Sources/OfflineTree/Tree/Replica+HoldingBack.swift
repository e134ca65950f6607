/// Logs and branches that are held back, since there are so many of their kind: until somebody else's change has them in
/// its past. That delays them here, and judges nothing.
extension Replica {
  /// A device whose change waits for a log.
  struct Witness: Hashable, Sendable {
    let device: Bytes32
    /// The invite by which the device comes, where it is its introduction that waits.
    let invite: Bytes32?
  }

  /// A change of `log` waits for one of `parent`, and with it all that waits for `log`.
  mutating func noteAwaited(_ parent: LogID, by change: Change, of device: Bytes32?, in log: LogID) {
    var witnesses = awaited[log] ?? []
    if let device { witnesses.insert(witness(device, change.introduction, log)) }
    for witness in witnesses {
      var known = awaited[parent] ?? []
      // By now it is known by what it comes.
      if witness.invite != nil { known.remove(Witness(device: witness.device, invite: nil)) }
      guard isNews(witness, among: known) else { continue }
      known.insert(witness)
      awaited[parent] = known
      newlyAwaited.append(parent)
    }
  }

  private mutating func witness(_ device: Bytes32, _ introduction: Introduction?, _ log: LogID) -> Witness {
    guard let introduction, authority.origin(of: device) == .nothing else {
      return Witness(device: device, invite: nil)
    }
    let invite = introduction.standing.invite
    if let invite, isExpected(introduction) { return Witness(device: device, invite: invite) }
    // Its word may count more when it is known by what it comes: then it is asked again.
    if unknownWitnesses.count < Limits.unknownWitnesses { unknownWitnesses[invite ?? device, default: []].insert(log) }
    return Witness(device: device, invite: nil)
  }

  /// A device or an invite is known now.
  mutating func askAgain(_ key: Bytes32) {
    if let logs = unknownWitnesses.removeValue(forKey: key) { newlyAwaited += logs }
  }

  private func origin(of witness: Witness) -> Authority.Origin {
    let origin = witness.device == device ? .role : authority.origin(of: witness.device)
    return origin == .nothing ? witness.invite.map { .invite($0) } ?? .nothing : origin
  }

  /// Two of a kind are enough: of two devices one is another one, and of two invites one is another, whoever asks.
  private func isNews(_ witness: Witness, among known: Set<Witness>) -> Bool {
    if known.contains(where: { $0.device == witness.device }) { return false }
    let origins = known.map(origin)
    let ofSame = origins.count { $0 == origin(of: witness) }
    return ofSame == 1 || ofSame == 0 && Set(origins).count < 4
  }

  /// Would a log with such a beginning have a device that belongs here?
  private func isExpected(_ introduction: Introduction) -> Bool {
    authority.isExpected(introduction) && introduction.joinFault(space: space) == nil
  }

  /// Are there so many logs of the kind that the next one is delivered only when others have seen it?
  ///
  /// - Parameter isVoidByForm: Then it brings nobody, whatever it comes by.
  func isTooManyLogs(_ change: Change, _ log: LogID, isVoidByForm: Bool) -> Bool {
    guard let introduction = change.introduction, introduction.deviceKey != device else { return false }
    let key = introduction.deviceKey
    let others = (awaited[log] ?? []).filter { $0.device != key }
    guard !isVoidByForm, isExpected(introduction) else {
      // Who is no member has nothing to say about others who are none.
      return strangers.count >= Limits.strangersLogs && others.allSatisfy { origin(of: $0) == .nothing }
    }
    if let invite = introduction.standing.invite, authority.isUsedUp(invite: invite) {
      // Nor has who came by an invite about others who come by it.
      return others.allSatisfy { [.nothing, .invite(invite)].contains(origin(of: $0)) }
    }
    guard others.isEmpty else { return false }
    let known = (indicesByDevice[key] ?? []).count { logs[$0].first == 0 && !logs[$0].isEmpty }
    return known >= Limits.logsPerDevice
  }

  /// Beyond so many branches of a device's logs the next one is delivered only when others have seen it.
  func hasRoomForBranch(of log: LogID) -> Bool {
    guard let key = device(of: log), key != device else { return true }
    if awaited[log]?.contains(where: { $0.device != key && origin(of: $0) != .nothing }) ?? false { return true }
    return (indicesByDevice[key] ?? []).count { logs[$0].parent != nil } < Limits.branchesPerDevice
  }

  // MARK: Strangers

  /// A log was introduced: it is a stranger's, or its device's logs are none any more.
  mutating func noteStrangers(introducedBy log: Int) {
    let device = logs[log].device
    guard authority.isIntroduced(device) else {
      strangers.insert(log)
      return
    }
    if strangers.isEmpty { return }
    for index in indicesByDevice[device] ?? [] { strangers.remove(index) }
  }

  /// Looks at every log. O(logs).
  mutating func findStrangers() {
    strangers = Set(
      logs.indices.filter { logs[$0].first == 0 && !logs[$0].isEmpty && !authority.isIntroduced(logs[$0].device) })
  }
}
