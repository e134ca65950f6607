/// The keys that a device has worked out, and what they were worked out from.
struct KeyringCache: Sendable {
  private let keys: DeviceKeys
  private var keyring: Keyring
  /// The authority for which `epochs` was worked out.
  private var version: UInt64?
  private var epochs: Epochs?
  /// Changes whose sealed keys were tried: opening one costs as much as a signature.
  private var tried: Set<Dot> = []
  /// Lockboxes that nothing opens so far, by the epoch whose key would.
  private var shut: [EpochID: [ControlOperation.Lockbox]] = [:]
  /// Keys, and lockboxes, that changes which are not applied have brought: nobody has judged those.
  private var unjudged = 0
  private static let unjudgedLimit = 256

  init(_ keys: DeviceKeys) {
    self.keys = keys
    keyring = Keyring(first: keys.firstKey)
  }

  /// Every epoch key that the device can work out from what was applied, and from what it was shown before.
  mutating func keyring(_ replica: Replica) -> Keyring {
    let named = replica.authority.epochNames
    for record in replica.authority.sealingRecords where tried.insert(record.dot).inserted {
      take(record.controls) { named.contains($0) }
    }
    open { named.contains($0) }
    return keyring
  }

  mutating func epochs(_ replica: Replica) -> Epochs {
    if version == replica.authorityVersion, let epochs { return epochs }
    let epochs = Epochs(replica, keyring(replica), keys)
    (version, self.epochs) = (replica.authorityVersion, epochs)
    return epochs
  }

  /// Takes keys of changes that are not applied yet: those sealed for this device, and those of epochs that are wanted;
  /// whether there was a new one.
  mutating func learn(_ operations: [ControlOperation], wanted: Set<EpochID>) -> Bool {
    guard unjudged < Self.unjudgedLimit else { return false }
    let count = keyring.all.count
    for operation in operations where unjudged < Self.unjudgedLimit {
      let before = keyring.all.count
      take([operation]) { _ in true }
      if keyring.all.count > before || operation.lockbox.map({ keyring[$0.epoch] == nil }) ?? false { unjudged += 1 }
      open { wanted.contains($0) }
    }
    if keyring.all.count == count { return false }
    version = nil
    return true
  }

  private mutating func take(_ operations: [ControlOperation], accepting isWanted: (EpochID) -> Bool) {
    for operation in operations {
      if let epoch = operation.sealedEpoch, isWanted(epoch), keyring[epoch] == nil,
        let key = keys.key(in: operation, space: keys.firstKey.space)
      {
        keyring.add(key)
      }
      if let lockbox = operation.lockbox, isWanted(lockbox.epoch) || keyring[lockbox.epoch] != nil {
        shut[lockbox.epoch, default: []].append(lockbox)
      }
    }
  }

  private mutating func open(accepting isWanted: (EpochID) -> Bool) {
    var isMoving = true
    while isMoving {
      isMoving = false
      for epoch in Array(shut.keys) where keyring[epoch] != nil {
        for lockbox in shut.removeValue(forKey: epoch) ?? [] { keyring.open(lockbox, accepting: isWanted) }
        isMoving = true
      }
    }
  }
}

extension Epochs {
  /// Concurrent rotations of which the mixed keys are worked out, at most.
  private static let mixes = 64

  init(_ replica: Replica, _ keyring: Keyring, _ keys: DeviceKeys) {
    let authority = replica.authority
    // What is void began no epoch. A key of it opens what was sealed by who did not know better, and seals nothing.
    let rotations = authority.standingRotations.compactMap { record in
      record.rotation.map { (record: record, epoch: $0.epoch) }
    }
    // Newest first: what was rotated last, the mixes of what stands beside each other, what was there before.
    var known: [EpochKeys] = []
    var groups = rotations.map { [$0] }
    var start = 0
    while start < groups.count, groups.count < Epochs.mixes {
      let group = groups[start]
      start += 1
      guard let last = group.last, let place = rotations.firstIndex(where: { $0.epoch == last.epoch }) else { continue }
      for other in rotations[(place + 1)...] {
        let isBeside = group.allSatisfy { !$0.record.saw(other.record) && !other.record.saw($0.record) }
        if isBeside { groups.append(group + [other]) }
      }
    }
    for group in groups.reversed() {
      if let mix = keyring.mix(group.map(\.epoch)) { known.append(mix) }
    }
    known += keyring.all.filter { key in !known.contains { $0.id == key.id } }
    let current = authority.epochs(at: nil)
    let wanted = current.isEmpty ? authority.firstEpoch.flatMap { keyring[$0] } : keyring.mix(current)
    // Without the key of now it seals with the newest that it has: others can read that as well.
    let newest = rotations.reversed().lazy.compactMap { keyring[$0.epoch] }.first
    let best = wanted ?? newest ?? keys.firstKey
    self.init(current: best, known: [best] + known.filter { $0.id != best.id })
  }

  /// The epoch in which a run is sealed, that of its changes; nil if its key is not here.
  func sealing(_ epochs: [EpochID], _ authority: Authority) -> EpochID? {
    if epochs.isEmpty { return authority.hasRotations ? authority.firstEpoch.flatMap { self[$0] }?.id : current.id }
    if epochs.count == 1 { return self[epochs[0]]?.id }
    var keyring = Keyring(first: current)
    for key in known { keyring.add(key) }
    return keyring.mix(epochs)?.id
  }
}
