/// What people ask: who is in the space.
extension Authority {
  /// The name that a device was given last, by its own word.
  package func name(of device: Bytes32) -> String {
    var best: (stamp: Stamp, name: String)?
    for record in records where record.device == device {
      var name = record.introduction?.deviceName
      for case .deviceName(let renamed) in record.controls { name = renamed }
      if let name, best.map({ $0.stamp < record.stamp }) ?? true { best = (record.stamp, name) }
    }
    return best?.name ?? "device \(device.prefix16)"
  }

  /// Every device that was ever introduced, in the order in which this replica heard of them.
  package var devices: [Bytes32] {
    var seen: Set<Bytes32> = []
    return records.compactMap { $0.introduction != nil && seen.insert($0.device).inserted ? $0.device : nil }
  }

  /// The rank of a device in the eyes of somebody who knows everything that is here.
  package func rank(of device: Bytes32) -> Rank {
    isEnded(device) ? .none : rank(of: device, at: Authority.nowhere, nil, current)
  }

  /// The place of a change that nobody has made.
  static let nowhere = Dot(log: Int.max, seq: 0)

  /// Would a further change of the device, which has seen everything, be void because of an end or a missing invite?
  package func isEnded(_ device: Bytes32) -> Bool {
    let joins = (grants[device] ?? []).filter { records[$0].device == device && records[$0].introduction != nil }
    guard joins.contains(where: { verdicts[$0] == nil }) else { return true }
    return ending(of: device) != nil
  }

  /// The end that keeps the device out, if one does.
  package func ending(of device: Bytes32) -> End? {
    let rank = rank(of: device, at: Authority.nowhere, nil, current)
    return ends.first { $0.subject == .device(device) && ($0.rank > rank || $0.isOwn) }
  }

  package func boxKey(of device: Bytes32) -> Bytes32? {
    for record in records where record.device == device {
      if let introduction = record.introduction { return introduction.boxKey }
    }
    return nil
  }

  /// Is the invite registered by somebody who may, and not ended?
  package func isOpen(invite key: Bytes32) -> Bool {
    let isRegistered = (registrations[key] ?? []).contains { verdicts[$0] == nil }
    return isRegistered && !ends.contains { $0.subject == .invite(key) }
  }

  /// Every invite that stands registered, with the record that did it.
  package var invites: [(record: Int, terms: ControlOperation.InviteTerms)] {
    registrations.values.joined().sorted().filter { verdicts[$0] == nil }.flatMap { index in
      records[index].controls.compactMap { if case .invite(let terms) = $0 { (index, terms) } else { nil } }
    }
  }

  // MARK: Epochs

  /// The epochs in which a change is made that had seen this: one, or several that did not know of each other.
  package func epochs(at context: Context) -> [EpochID] {
    guard let genesis else { return [] }
    let seen = rotations.filter { verdicts[$0] == nil && context.covers(records[$0].dot.log, records[$0].dot.seq) }
    let last = seen.filter { index in !seen.contains { records[$0].saw(records[index]) } }
    if last.isEmpty { return [genesis.firstEpoch] }
    return last.compactMap { records[$0].rotation?.epoch }.sorted()
  }
}

extension Authority.Record {
  package var rotation: ControlOperation.Rotation? {
    for case .rotate(let rotation) in controls { return rotation }
    return nil
  }
}
