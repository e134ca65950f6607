/// The keys that a device has worked out, and what they were worked out from.
struct KeyringCache: Sendable {
  private let keys: DeviceKeys
  private var keyring: Keyring
  /// The authority for which `epochs` was worked out.
  private var version: UInt64?
  private var epochs: Epochs?
  /// Changes whose sealed keys were tried: opening one costs as much as a signature.
  private var tried: Set<Dot> = []
  /// Lockboxes that nothing opens so far.
  private var shut: [ControlOperation.Lockbox] = []
  private static let shutCount = 4_096

  init(_ keys: DeviceKeys) {
    self.keys = keys
    keyring = Keyring(first: keys.firstKey)
  }

  /// Every epoch key that the device can work out from what was applied, and from what it was shown before.
  mutating func keyring(_ replica: Replica) -> Keyring {
    for record in replica.authority.sealingRecords where tried.insert(record.dot).inserted { take(record.controls) }
    open()
    return keyring
  }

  mutating func epochs(_ replica: Replica) -> Epochs {
    if version == replica.authorityVersion, let epochs { return epochs }
    let epochs = Epochs(replica, keyring(replica), keys)
    (version, self.epochs) = (replica.authorityVersion, epochs)
    return epochs
  }

  /// Adds a key that is sealed for this device; whether there was a new one.
  mutating func learn(_ operations: [ControlOperation]) -> Bool {
    let count = keyring.all.count
    take(operations)
    open()
    if keyring.all.count == count { return false }
    version = nil
    return true
  }

  private mutating func take(_ operations: [ControlOperation]) {
    for operation in operations {
      if let key = keys.key(in: operation, space: keys.firstKey.space) { keyring.add(key) }
      if let lockbox = operation.lockbox, !shut.contains(lockbox), shut.count < Self.shutCount { shut.append(lockbox) }
    }
  }

  private mutating func open() { shut = keyring.open(shut) }
}

extension Epochs {
  /// Concurrent rotations of which the mixed keys are worked out, at most.
  private static let mixes = 1_024

  init(_ replica: Replica, _ keyring: Keyring, _ keys: DeviceKeys) {
    let authority = replica.authority
    let rotations = authority.records.enumerated().compactMap { index, record in
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
