/// The keys that a device has worked out, and what they were worked out from.
///
/// Only for states that are committed: a staged change that is given up would leave marks on what comes in its place.
/// Whoever holds a staged state asks a copy.
struct KeyringCache: Sendable {
  private let keys: DeviceKeys
  /// The key with which the device came, and those of epochs that the authority names.
  private var judged: Keyring
  /// Keys out of changes that are not applied, oldest first: nobody has judged those.
  private var learned: [EpochKeys] = []
  private static let learnedLimit = 256
  /// The authority for which `epochs` was worked out.
  private var version: UInt64?
  private var epochs: Epochs?
  /// What of the applied changes needs no further look.
  private var taken: Set<Part> = []
  /// Lockboxes of applied changes whose own key is not here, by its epoch.
  private var shut: [EpochID: [ControlOperation.Lockbox]] = [:]
  /// Lockboxes that were opened, by epochs in them that nothing has named so far.
  private var unnamed: [EpochID: [ControlOperation.Lockbox]] = [:]

  /// The boxes of a change for one epoch, or its lockboxes under the key of one.
  private struct Part: Hashable {
    let dot: Dot
    let epoch: EpochID
    let isLockbox: Bool
  }

  init(_ keys: DeviceKeys) {
    self.keys = keys
    judged = Keyring(first: keys.firstKey)
  }

  /// Every key of the epochs that the authority names, as far as the device can work them out.
  mutating func keyring(_ replica: Replica) -> Keyring {
    let named = replica.authority.epochNames
    promote(named)
    for record in replica.authority.sealingRecords { take(record, named) }
    openLockboxes(named)
    return judged
  }

  mutating func epochs(_ replica: Replica) -> Epochs {
    if version == replica.authorityVersion, let epochs { return epochs }
    var keyring = keyring(replica)
    for key in learned { keyring.add(key) }
    let epochs = Epochs(replica, keyring, keys)
    (version, self.epochs) = (replica.authorityVersion, epochs)
    return epochs
  }

  private mutating func promote(_ named: Set<EpochID>) {
    for key in learned where named.contains(key.id) { judged.add(key) }
    learned.removeAll { named.contains($0.id) }
  }

  /// Takes from an applied change what can be taken by now; what nothing names yet may be wanted later.
  private mutating func take(_ record: Authority.Record, _ named: Set<EpochID>) {
    var done: Set<Part> = []
    for operation in record.controls {
      if let epoch = operation.sealedEpoch, named.contains(epoch), judged[epoch] == nil {
        let part = Part(dot: record.dot, epoch: epoch, isLockbox: false)
        if !taken.contains(part), let key = keys.key(in: operation) { judged.add(key) }
        done.insert(part)
      }
      if let lockbox = operation.lockbox, named.contains(lockbox.epoch) || judged[lockbox.epoch] != nil {
        let part = Part(dot: record.dot, epoch: lockbox.epoch, isLockbox: true)
        if !taken.contains(part) { shut[lockbox.epoch, default: []].append(lockbox) }
        done.insert(part)
      }
    }
    taken.formUnion(done)
  }

  private mutating func openLockboxes(_ named: Set<EpochID>) {
    for epoch in unnamed.keys.filter(named.contains) {
      for lockbox in unnamed.removeValue(forKey: epoch) ?? [] { judged.open(lockbox, accepting: named.contains) }
    }
    while let epoch = shut.keys.first(where: { judged[$0] != nil }) {
      for lockbox in shut.removeValue(forKey: epoch) ?? [] {
        for other in judged.open(lockbox, accepting: named.contains) { unnamed[other, default: []].append(lockbox) }
      }
    }
  }
}

// MARK: What is not judged

extension KeyringCache {
  /// Boxes for this device that are tried of one epoch in one call: opening one costs as much as a signature.
  private static let tries = 16

  /// Takes keys of changes that are not applied yet, of epochs that are wanted or that the authority names; whether there
  /// was a new one. Nothing else of those changes is kept.
  mutating func learn(_ operations: [ControlOperation], wanted: Set<EpochID>, _ replica: Replica) -> Bool {
    let wanted = wanted.union(replica.authority.epochNames)
    var keyring = keyring(replica)
    for key in learned { keyring.add(key) }
    let known = Set(keyring.all.map(\.id))
    var tried: [EpochID: Int] = [:]
    var lockboxes: [EpochID: [ControlOperation.Lockbox]] = [:]
    for operation in operations {
      if let lockbox = operation.lockbox, wanted.contains(lockbox.epoch) || keyring[lockbox.epoch] != nil {
        lockboxes[lockbox.epoch, default: []].append(lockbox)
      }
      guard let epoch = operation.sealedEpoch, wanted.contains(epoch), keyring[epoch] == nil,
        keys.isMeant(by: operation),
        tried[epoch, default: 0] < Self.tries
      else { continue }
      tried[epoch, default: 0] += 1
      if let key = keys.key(in: operation) { keyring.add(key) }
    }
    while let epoch = lockboxes.keys.first(where: { keyring[$0] != nil }) {
      for lockbox in lockboxes.removeValue(forKey: epoch) ?? [] { keyring.open(lockbox, accepting: wanted.contains) }
    }
    let new = keyring.all.filter { !known.contains($0.id) }
    if new.isEmpty { return false }
    learned = (learned + new).suffix(Self.learnedLimit)
    version = nil
    return true
  }
}
