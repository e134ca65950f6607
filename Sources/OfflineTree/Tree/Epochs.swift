/// The keys with which a device can open things, and the one with which it seals new ones.
package struct Epochs: Sendable {
  package let current: EpochKeys
  /// The current one, then the others, newer ones before older ones.
  package let known: [EpochKeys]

  package init(current: EpochKeys, known: [EpochKeys]) {
    self.current = current
    self.known = known
  }

  package subscript(id: EpochID) -> EpochKeys? { known.first { $0.id == id } }
}

extension Epochs {
  /// Keys of times in which rotations stood beside each other that are worked out, at most: the newest.
  private static let mixes = 64
  /// Rotations that are looked at for that: more keys than these no device keeps.
  private static let mixedRotations = 4_096

  init(_ replica: Replica, _ keyring: Keyring, _ keys: DeviceKeys) {
    let authority = replica.authority
    // What is void began no epoch. A key of it opens what was sealed by who did not know better, and seals nothing.
    let rotations = authority.standingRotations.reversed().compactMap { record in
      record.rotation.map { Rotated(epoch: $0.epoch, record: record) }
    }
    let current = authority.epochs(at: nil)
    let wanted = current.isEmpty ? authority.firstEpoch.flatMap { keyring[$0] } : keyring.mix(current)
    // Without the key of now it seals with the newest that it has: others can read that as well.
    let best = wanted ?? rotations.lazy.compactMap { keyring[$0.epoch] }.first ?? keys.firstKey
    let mixes = Epochs.beside(rotations.prefix(Epochs.mixedRotations)).compactMap { keyring.mix($0) }
    var seen: Set<EpochID> = []
    self.init(
      current: best,
      known: ([best] + mixes + rotations.compactMap { keyring[$0.epoch] } + keyring.all)
        .filter { seen.insert($0.id).inserted })
  }

  private struct Rotated {
    let epoch: EpochID
    let record: Authority.Record
  }

  /// Sets of rotations, newest first, none of which had seen another: pairs, then what grows from those.
  private static func beside(_ rotations: ArraySlice<Rotated>) -> [[EpochID]] {
    var groups: [[Int]] = []
    /// Adds a group with each older rotation that none in it had seen: an older one has seen no newer one.
    func grow(_ group: [Int]) {
      for other in (group[group.count - 1] + 1)..<rotations.endIndex where groups.count < mixes {
        if group.allSatisfy({ !rotations[$0].record.saw(rotations[other].record) }) { groups.append(group + [other]) }
      }
    }
    for index in rotations.indices where groups.count < mixes { grow([index]) }
    var next = 0
    while next < groups.count, groups.count < mixes {
      grow(groups[next])
      next += 1
    }
    return groups.map { group in group.map { rotations[$0].epoch } }
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

/// Whether a device may take part.
package enum DeviceStanding: Equatable, Sendable {
  case member
  /// Removed, or left, or came by an invite that was ended before anybody knew.
  case ended
  /// Nobody here has heard of it.
  case unknown
}
