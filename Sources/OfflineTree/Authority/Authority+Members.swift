/// What people ask: who is in the space.
extension Authority {
  /// The name that a device was given last, by its own word.
  package func name(of device: Bytes32) -> String { names[device]?.name ?? "device \(device.prefix16)" }

  /// Is the log's device here by genesis or invite?
  package func isMember(root: Int) -> Bool { joins[root]?.contains { verdicts[$0] == nil } ?? false }

  package func record(at dot: Dot) -> Record? { places[dot].map { records[$0] } }

  package func verdict(at dot: Dot) -> String? {
    places[dot].flatMap { index in
      verdicts[index] ?? records[index].person.flatMap { people[$0].verdict(index, .all) }
    }
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
    return ends[.device(device)].first { $0.rank > rank || $0.isOwn }
  }

  package func boxKey(of device: Bytes32) -> Bytes32? {
    for record in records where record.device == device {
      if let introduction = record.introduction { return introduction.boxKey }
    }
    return nil
  }

  /// Is the invite registered by somebody who may, and not ended?
  package func isOpen(invite key: Bytes32) -> Bool {
    let standing = (registrations[key] ?? []).filter { verdicts[$0.record] == nil }
    guard let role = standing.map(\.terms.role).max() else { return false }
    return !ends[.invite(key)].contains { end in
      end.rank > Rank(role)
        || end.isOwn && isAlone(records[end.record].device, registering: key, in: nil, current)
    }
  }

  /// Where an invite is registered by somebody who may.
  package func registration(of invite: Bytes32) -> Dot? {
    (registrations[invite] ?? []).first { verdicts[$0.record] == nil }.map { records[$0.record].dot }
  }

  /// Would a log with such a beginning have a device that belongs here, as far as is known?
  package func isExpected(_ introduction: Introduction) -> Bool {
    switch introduction.standing {
    case .genesis: true
    case .join(let invite, _): registration(of: invite) != nil
    case .open: isIntroduced(introduction.deviceKey)
    }
  }

  /// Does a join of the device stand?
  package func isIntroduced(_ device: Bytes32) -> Bool {
    (grants[device] ?? []).contains {
      records[$0].device == device && records[$0].introduction != nil && verdicts[$0] == nil
    }
  }

  /// Every invite that stands registered, with the record that did it.
  package var invites: [(record: Int, terms: ControlOperation.InviteTerms)] {
    registrations.values.joined().filter { verdicts[$0.record] == nil }.map { ($0.record, $0.terms) }
      .sorted { ($0.record, $0.terms.publicKey) < ($1.record, $1.terms.publicKey) }
  }

  // MARK: Epochs

  /// The epochs in which a change is made that had seen this, sorted: one, or several that did not know of each other;
  /// none in the space's first epoch. Without a context: in the eyes of somebody who knows everything that is here.
  package func epochs(at context: Context?) -> [EpochID] {
    let seen = rotations.filter { index in
      let dot = records[index].dot
      return verdicts[index] == nil && context?.covers(dot.log, dot.seq) ?? true
    }
    let last = seen.filter { index in !seen.contains { records[$0].saw(records[index]) } }
    return Set(last.compactMap { records[$0].rotation?.epoch }).sorted()
  }

  /// The name of the space's first epoch, as far as a rotation has told it.
  package var firstEpoch: EpochID? {
    rotations.first { verdicts[$0] == nil && epochs(at: records[$0].context).isEmpty }
      .flatMap { records[$0].rotation?.parents.first }
  }
}

extension Authority.Record {
  package var rotation: ControlOperation.Rotation? {
    for case .rotate(let rotation) in controls { return rotation }
    return nil
  }
}

// MARK: What is sealed apart

extension Authority {
  /// Records that hold sealed keys, whether they stand or not: a key that fits is a key.
  package var sealingRecords: [Record] { Set(rotations + deliveries + lockboxes).sorted().map { records[$0] } }

  package var hasRotations: Bool { rotations.contains { verdicts[$0] == nil } }

  package var standingRotations: [Record] { rotations.filter { verdicts[$0] == nil }.map { records[$0] } }

  package var standingDeliveries: [Record] { deliveries.filter { verdicts[$0] == nil }.map { records[$0] } }

  /// Epochs that rotations name, as their own or as one before: of void ones only so many, since anybody can make them.
  package var epochNames: Set<EpochID> {
    var names: Set<EpochID> = []
    for index in rotations where verdicts[index] != nil && names.count < Authority.voidNames {
      if let rotation = records[index].rotation { names.formUnion([rotation.epoch] + rotation.parents) }
    }
    for rotation in standingRotations.compactMap(\.rotation) { names.formUnion([rotation.epoch] + rotation.parents) }
    return names
  }

  private static let voidNames = 64

  /// Numbers of a log at which another epoch may begin by the log's own doing.
  package func borders(in log: Int) -> [UInt64] {
    (rotations + deliveries).filter { records[$0].dot.log == log }
      .flatMap { [records[$0].dot.seq, records[$0].dot.seq + 1] }
  }

  /// What the registrations of the invite had seen by which a device came: the newcomer has the key of that time.
  package func inviteContexts(of device: Bytes32) -> [Context] {
    for index in grants[device] ?? [] where records[index].device == device {
      guard case .join(let invite, _)? = records[index].introduction?.standing else { continue }
      return (registrations[invite] ?? []).map(\.record)
        .filter { verdicts[$0] == nil && records[index].saw(records[$0]) }.map { records[$0].context }
    }
    return []
  }
}

extension Authority.Record {
  /// The first of the devices to which it delivers a key.
  package var deliveredTo: Bytes32? {
    for case .deliver(_, let boxes) in controls { return boxes.first?.device }
    return nil
  }
}

extension Authority {
  /// Do both judge the same changes, and judge them alike?
  package func agrees(with other: Authority) -> Bool {
    guard records.count == other.records.count, ends.count == other.ends.count else { return false }
    // Where a fork has given records other names, what was asked of the old ones is no answer.
    guard places.keys == other.places.keys else { return false }
    // Whom nobody named and nothing judged, no name of a record bears on.
    let isPlain = ends.isEmpty && other.ends.isEmpty && people.isEmpty && ruleBook.isEmpty
    if isPlain, verdicts.allSatisfy({ $0 == nil }), other.verdicts.allSatisfy({ $0 == nil }) { return true }
    // What an end, a log-in or rules have seen decides on changes that are no records: it too goes by names that a fork
    // may have changed.
    let judged = Dictionary(
      uniqueKeysWithValues: other.places.map { ($0, (other.verdict(at: $0), other.records[$1].context)) })
    return records.allSatisfy { record in
      judged[record.dot].map { $0.0 == verdict(at: record.dot) && $0.1 == record.context } ?? false
    } && people.endDots == other.people.endDots
      && ends.allSatisfy { end in other.ends[end.subject].contains { $0.dot == end.dot } }
  }
}
