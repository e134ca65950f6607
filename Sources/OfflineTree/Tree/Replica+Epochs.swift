/// Rotations of the space's key: making them, and which epoch a change belongs to.
extension Replica {
  /// The names of the epochs in which a change was made: what it had seen decides. What delivers a key is sealed so
  /// that those can read it who lack that key: in the epoch of their invite.
  func epochs(of dot: Dot, _ rows: borrowing StoreTransaction) throws(TreeError) -> [EpochID] {
    if let record = authority.record(at: dot), let newcomer = record.deliveredTo {
      return authority.epochs(at: authority.inviteContexts(of: newcomer).first ?? Context())
    }
    return authority.epochs(at: try context(of: dot, rows))
  }

  /// The first number after `seq` and below `end` at which the log enters another epoch, or a change is sealed apart.
  func nextBorder(
    in log: Int, after seq: UInt64, below end: UInt64, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> UInt64? {
    guard authority.hasRotations else { return nil }
    let own = try epochs(of: Dot(log: log, seq: seq), rows)
    var candidates = authority.borders(in: log).filter { $0 > seq && $0 < end }
    var next = seq
    while let row = try nextContextRow(log, after: next, rows), row < end {
      candidates.append(row)
      next = row
    }
    for candidate in candidates.sorted() where try epochs(of: Dot(log: log, seq: candidate), rows) != own {
      return candidate
    }
    return nil
  }

  /// A rotation to a new key, for every device that is left.
  ///
  /// - Parameter removed: Devices that get no key any more.
  func rotation(
    without removed: Set<Bytes32>, _ keyring: Keyring, randomBytes: (Int) -> [UInt8]
  ) throws(TreeError) -> ControlOperation {
    var key = randomBytes(32)
    let new = EpochKeys(Secret(&key), space: space)
    let epochs = Array(authority.epochs(at: nil).prefix(Limits.epochParents))
    let parents = epochs.isEmpty ? [authority.firstEpoch ?? keys?.firstKey.id].compactMap { $0 } : epochs
    var parentKeys: [EpochKeys] = []
    for parent in parents {
      guard let parentKey = keyring[parent] else {
        throw TreeError(
          .unavailable, "this device does not have the space's key of now",
          advice: "Sync with a device that has it, then try again.")
      }
      parentKeys.append(parentKey)
    }
    let lockbox = Keyring.lockbox(parentKeys, under: new, nonce: randomBytes(Sodium.nonceBytes))
    var boxes = authority.devices.filter { !removed.contains($0) && !authority.isEnded($0) }.compactMap { device in
      authority.boxKey(of: device).flatMap { DeviceKeys.seal(new, for: device, $0) }
    }
    // Their number says less when it is a multiple of eight.
    while !boxes.count.isMultiple(of: 8) {
      boxes.append(
        ControlOperation.SealedKey(
          device: Bytes32(randomBytes(32)), box: randomBytes(ControlOperation.SealedKey.boxBytes)))
    }
    return .rotate(
      ControlOperation.Rotation(
        epoch: new.id, parents: parents, lockbox: lockbox.sealed, boxes: boxes.sorted { $0.device < $1.device }))
  }

  /// The key under which members seal now.
  /// - Throws: `unavailable` if this device does not have it.
  func currentKey(_ epochs: Epochs) throws(TreeError) -> EpochKeys {
    let names = authority.epochs(at: nil)
    let id = names.isEmpty ? authority.firstEpoch ?? keys?.firstKey.id : epochs.sealing(names, authority)
    guard let id, let key = epochs[id] else {
      throw TreeError(
        .unavailable, "this device does not have the space's key of now",
        advice: "Sync with a device that has it, then try again.")
    }
    return key
  }

  /// Every key that this device has, for somebody who has only this one.
  func lockbox(under own: EpochKeys, _ keyring: Keyring, randomBytes: (Int) -> [UInt8]) -> ControlOperation? {
    let named = authority.epochNames
    let others = keyring.all.filter { $0.id != own.id && (named.contains($0.id) || $0.id == keys?.firstKey.id) }
    if others.isEmpty { return nil }
    return .lockbox(
      Keyring.lockbox(Array(others.prefix(Limits.lockboxKeys)), under: own, nonce: randomBytes(Sodium.nonceBytes)))
  }

  /// Members who have no key of the epoch that is current, since its rotation did not know them.
  func devicesWithoutKey(of epoch: EpochID, _ now: Int64) -> [Bytes32] {
    var served: Set<Bytes32> = []
    for record in authority.standingRotations where record.rotation?.epoch == epoch {
      served.formUnion(record.rotation?.boxes.map(\.device) ?? [])
    }
    for record in authority.standingDeliveries where isTrusted(record, now) {
      for case .deliver(epoch, let boxes) in record.controls { served.formUnion(boxes.map(\.device)) }
    }
    return authority.devices.filter { device in
      guard !served.contains(device), !authority.isEnded(device) else { return false }
      // Who came by an invite of this epoch brought the key along.
      let contexts = authority.inviteContexts(of: device)
      return contexts.isEmpty || !contexts.allSatisfy { authority.epochs(at: $0) == [epoch] }
    }
  }

  /// Nobody but its receiver sees whether a delivered key is one: the word of an owner counts, and for a while that of
  /// others.
  private func isTrusted(_ record: Authority.Record, _ now: Int64) -> Bool {
    if record.device == device || authority.rank(of: record.device) >= .owner { return true }
    return !hasPassed(Replica.trustMilliseconds, since: record.wallTime, now)
  }

  private static let trustMilliseconds: Int64 = 3_600_000

  /// Has so much time passed, as far as somebody else's clock tells? One that is far off tells nothing.
  func hasPassed(_ milliseconds: Int64, since time: Int64, _ now: Int64) -> Bool {
    let (passed, overflow) = now.subtractingReportingOverflow(time)
    return overflow || passed < 0 || passed > milliseconds
  }
}

extension ControlOperation {
  /// The epoch of which it holds sealed keys for devices.
  var sealedEpoch: EpochID? {
    switch self {
    case .rotate(let rotation): rotation.epoch
    case .deliver(let epoch, _): epoch
    default: nil
    }
  }

  /// The lockbox that it holds, if it does.
  var lockbox: Lockbox? {
    switch self {
    case .rotate(let rotation): Lockbox(epoch: rotation.epoch, sealed: rotation.lockbox)
    case .lockbox(let lockbox): lockbox
    default: nil
    }
  }
}

extension DeviceKeys {
  /// The key that a rotation or a delivery holds for this device.
  func key(in operation: ControlOperation) -> EpochKeys? {
    guard let epoch = operation.sealedEpoch, let box = box(in: operation) else { return nil }
    return open(box, of: epoch)
  }

  /// Does it hold something that is sealed for this device?
  func isMeant(by operation: ControlOperation) -> Bool { box(in: operation) != nil }

  private func box(in operation: ControlOperation) -> ControlOperation.SealedKey? {
    let boxes: [ControlOperation.SealedKey]
    switch operation {
    case .rotate(let rotation): boxes = rotation.boxes
    case .deliver(_, let sealed): boxes = sealed
    default: return nil
    }
    return boxes.first { $0.device == signingKey }
  }
}
