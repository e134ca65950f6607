import OfflineTree

/// What docs/merge.md calls void by form: decided by a change and its past alone.
extension History {
  func fault(of index: Int) -> String? {
    if let fault = records[index].fault { return fault }
    if let fault = stampFault(index) { return fault }
    if hasRedundantParent(index) { return "a parent is in the context without it" }
    let change = change(index)
    let signatureFault = History.known.withLock { $0[records[index].hash] } ?? self.signatureFault(index)
    History.known.withLock { $0[records[index].hash] = .some(signatureFault) }
    if let signatureFault { return signatureFault }
    for operation in change.operations {
      if case .put(let path, _) = operation, let element = declarations.element(of: path), element.keys == .own,
        !mayPut(element.path, change, index)
      {
        return "the key of an element is not bound to the device"
      }
      if case .vote(let path, let voter, _) = operation,
        (try? declarations.flagPaths(counter: path, voter: voter)) == nil
      {
        return "the vote's flag would break a limit"
      }
    }
    return nil
  }

  /// Signatures take long to look at, and devices of the model look at each change again and again.
  private static let known = Monitor<[Bytes32: String?]>([:])

  private func stampFault(_ index: Int) -> String? {
    let stamp = change(index).stamp
    if case .genesis = change(index).introduction?.standing {
      return stamp.milliseconds < 1 << 48 ? nil : "the stamp of a genesis is 2^48 ms or more"
    }
    var highest = Stamp.zero
    for earlier in records.indices where saw(index, earlier) && faults[earlier] == nil {
      highest = max(highest, change(earlier).stamp)
    }
    if !(highest < stamp) { return "the stamp is not above the context's" }
    if stamp.milliseconds - highest.milliseconds > 1 << 32 { return "the stamp is too far above the context's" }
    return nil
  }

  /// Is a parent in the context that the change before and the other parents give?
  private func hasRedundantParent(_ index: Int) -> Bool {
    let record = records[index]
    let parents = change(index).parents.compactMap { self.index(of: $0) }
    if record.seq > 0, let previous = self.index(of: record.previous) {
      if parents.contains(where: { $0 == previous || saw(previous, $0) }) { return true }
    }
    return parents.contains { parent in parents.contains { saw($0, parent) } }
  }

  /// What an invite's key or the owner-recovery key has not signed.
  private func signatureFault(_ index: Int) -> String? {
    let (record, change) = (records[index], change(index))
    if let introduction = change.introduction, case .join(let invite, let signature) = introduction.standing {
      let signed =
        Array("OT join 1\0".utf8) + space.bytes + introduction.deviceKey.bytes + introduction.boxKey.bytes
        + record.log.bytes
      if !Sodium.isValid(signature, of: signed, byUnknown: invite) { return "its invite has not signed for it" }
    }
    if let signature = change.recoverySignature {
      let signed = change.recoveryMessage(
        space: space, log: record.log, seq: record.seq, previous: record.previous)
      guard let key = genesis?.recoveryKey, Sodium.isValid(signature, of: signed, byUnknown: key) else {
        return "the recovery key has not signed it"
      }
    }
    return change.controls.lazy.compactMap { personFault($0, index) }.first
  }

  /// What a person's keys have not signed for this device, and rules that are none.
  private func personFault(_ operation: ControlOperation, _ index: Int) -> String? {
    guard let device = deviceKey(of: index) else { return "it has no device" }
    func sign(_ signature: Signature, _ purpose: String, _ content: [UInt8], _ key: Bytes32) -> Bool {
      Sodium.isValid(signature, of: Array("OT \(purpose) 1\0".utf8) + space.bytes + content, byUnknown: key)
    }
    switch operation {
    case .account(let new):
      let account = new.account
      let isUser = account.user == Account.userID(space: space, publicKey: account.publicKey, random: new.random)
      let content = device.bytes + new.random.bytes + account.encoded
      return account.version == 0 && isUser && account.publicKey != account.recoveryKey
        && sign(new.signature, "account", content, account.publicKey) ? nil : "the account is not signed"
    case .rekey(let rekey):
      let account = rekey.account
      let content = device.bytes + rekey.previous.bytes + rekey.signer.bytes + account.encoded
      let areKeysOthers = account.publicKey != rekey.previous && account.publicKey != account.recoveryKey
      return account.version > 0 && areKeysOthers && sign(rekey.signature, "rekey", content, rekey.signer)
        && sign(rekey.proof, "rekey", content, account.publicKey) ? nil : "the changed account is not signed"
    case .session(let grant):
      let content = Array(grant.user.text.utf8) + grant.publicKey.bytes + device.bytes + grant.random.bytes
      return sign(grant.signature, "session", content, grant.publicKey) ? nil : "the log-in is not signed"
    case .rules(let text): return text.isEmpty || (try? Rules(text)) != nil ? nil : "the rules are none"
    default: return nil
    }
  }

  private func mayPut(_ element: PathKey, _ change: Change, _ index: Int) -> Bool {
    guard let device = deviceKey(of: index) else { return false }
    if change.isImport, wasOwner(device, before: index) { return true }
    return change.bindings.contains { $0.element == element && $0.binds(to: device, space: space) }
  }

  /// The founder's device, and those that the founder's or the recovery key made owners, until one of them took it back.
  private func wasOwner(_ device: Bytes32, before index: Int) -> Bool {
    guard let founder = genesis?.founder else { return false }
    if device == founder { return true }
    let heads = records.indices.filter { head in
      saw(index, head) && faults[head] == nil
        && (deviceKey(of: head) == founder || change(head).recoverySignature != nil)
    }
    let ends = heads.filter { change($0).controls.contains(.end(.role(device))) }
    return heads.contains { grant in
      change(grant).controls.contains(.grant(device: device, .owner))
        && ends.allSatisfy { $0 == grant || saw(grant, $0) }
    }
  }
}
