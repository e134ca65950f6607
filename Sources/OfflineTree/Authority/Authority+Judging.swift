/// What makes a change void that is right in itself: ends, and authority that its author had not.
extension Authority {
  /// Why the change of a log is void by what the set holds, or nil; for changes that are not records.
  ///
  /// - Parameters:
  ///   - root: The index of the log or branch that holds change 0 of its log.
  ///   - context: What it had seen.
  ///   - writes: Does it change the tree?
  package func fault(
    of dot: Dot, device: Bytes32, log: LogID, root: Int, context: Context, writes: Bool
  ) -> String? {
    if !isSuspect(device), joins[root]?.isEmpty == false { return nil }
    let judging = current
    guard isMember(root, judging) else { return Self.noMember }
    let rank = rank(of: device, at: dot, context, judging)
    if let reason = hit(dot, device: device, log: log, invite: nil, context, rank, judging) { return reason }
    return writes && rank < .member ? Self.noWriter : nil
  }

  static let noMember = "its device is not a member: it was not invited, or its invite was ended"
  static let noWriter = "its device may only read"

  /// The verdict on a record, from those on the records before it.
  func verdict(_ index: Int, _ judging: Judging) -> String? {
    let record = records[index]
    if record.isRecovery { return nil }
    var invite: Bytes32?
    if case .join(let key, _)? = record.introduction?.standing {
      guard role(of: record.device, by: index, judging) != nil else { return "nobody registered its invite" }
      invite = key
    } else if case .genesis? = record.introduction?.standing {
      invite = nil
    } else if !isMember(record.root, judging) {
      return Self.noMember
    }
    let rank = rank(of: record.device, at: record.dot, record.context, judging)
    let reason = hit(
      record.dot, device: record.device, log: record.log, invite: invite, record.context, rank, judging)
    if let reason { return reason }
    // What a record about a person may, `people` judge.
    for operation in record.controls where record.person == nil {
      if let reason = denial(of: operation, in: index, rank, judging) { return reason }
    }
    return record.writes && rank < .member ? Self.noWriter : nil
  }

  /// Does an introduction by genesis or invite stand on which the log rests?
  private func isMember(_ root: Int, _ judging: Judging) -> Bool {
    joins[root]?.contains { $0 < judging.verdicts.count && judging.verdicts[$0] == nil } ?? false
  }

  /// Which end reaches the change, in words; nil if none does.
  private func hit(
    _ dot: Dot, device: Bytes32, log: LogID, invite: Bytes32?, _ context: Context, _ rank: Rank, _ judging: Judging
  ) -> String? {
    if judging.ends.isEmpty { return nil }
    var subjects = [ControlOperation.Subject.device(device), .log(log)]
    if let invite { subjects.append(.invite(invite)) }
    for end in judging.ends.reaching(subjects) where end.dot != dot {
      let reason: String
      var isOwn = end.isOwn
      switch end.subject {
      case .device(device): reason = end.isOwn ? "its device had left" : "its device was removed"
      case .log(log): reason = "its log was ended"
      case .invite(let key) where key == invite:
        reason = "its invite was ended"
        isOwn = isOwn && isAlone(records[end.record].device, registering: key, in: context, judging)
      default: continue
      }
      let record = records[end.record]
      if record.context.covers(dot.log, dot.seq) { continue }
      if end.rank > rank || isOwn { return "\(reason) by \(name(of: record.device))" }
    }
    return nil
  }

  /// Did only this device register the invite, among what was seen? Its key is there for all to see: whoever registers
  /// another's invite again does not get it into their hands.
  func isAlone(
    _ device: Bytes32, registering key: Bytes32, in context: Context?, _ judging: Judging
  ) -> Bool {
    (registrations[key] ?? []).allSatisfy { registration in
      let index = registration.record
      let record = records[index]
      let isSeen = context?.covers(record.dot.log, record.dot.seq) ?? true
      return !isSeen || judging.verdicts[index] != nil || record.device == device
    }
  }

  /// Why the author may not do this, or nil.
  private func denial(of operation: ControlOperation, in index: Int, _ rank: Rank, _ judging: Judging) -> String? {
    switch operation {
    case .invite(let terms):
      if terms.role == .owner { return rank >= .founder ? nil : "only the founder's device invites owners" }
      if rank >= .owner || rank >= .member && genesis?.membersMayInvite == true { return nil }
      return "its device may not invite"
    case .grant(_, let role):
      if role == .owner { return rank >= .founder ? nil : "only the founder's device makes owners" }
      return rank >= .owner ? nil : "its device may not give roles"
    case .end(let subject):
      return isOwn(subject, of: records[index]) || rank >= .owner ? nil : "its device may not end others"
    case .rotate:
      return rank >= .owner ? nil : "its device may not rotate the key"
    case .rules:
      return rank >= .owner ? nil : "its device may not set rules"
    case .vouch:
      return rank >= .owner ? nil : "its device may not vouch for people"
    case .moderate:
      return rank >= .owner ? nil : "its device may not moderate"
    case .attest:
      return rank >= .owner ? nil : "its device may not vouch for a checkpoint"
    case .deviceName, .deliver, .lockbox, .keep, .recovery, .account, .rekey, .session, .retract:
      return nil
    }
  }

  /// The ends of a record that stands.
  func ends(of index: Int, _ judging: Judging) -> [End] {
    let record = records[index]
    let rank = record.isRecovery ? .recovery : rank(of: record.device, at: record.dot, record.context, judging)
    return record.controls.compactMap { operation in
      guard case .end(let subject) = operation else { return nil }
      return End(record: index, dot: record.dot, subject: subject, rank: rank, isOwn: isOwn(subject, of: record))
    }
  }

  /// The ends of a record that stands, if nobody is here whom they reach and nothing that stands bears on them: then they
  /// stand beside the others, and nothing has to be judged anew. Else nil.
  func endsOfNobody(_ index: Int) -> [End]? {
    let record = records[index]
    // If no end takes anything from its author, none does in any step of judging.
    guard verdicts[index] == nil, !record.isRecovery,
      rank(of: record.device, at: record.dot, record.context, current) == highestRank(of: index)
    else { return nil }
    let ends = ends(of: index, current)
    let isOfNobody = ends.allSatisfy { end in
      switch end.subject {
      case .device(let device): !introduced.contains(device) && grants[device] == nil
      case .invite(let key): joinCounts[key] == nil
      case .log, .role, .session, .userKey: false
      }
    }
    return isOfNobody ? ends.filter { !isRedundant($0.subject, of: index, self.ends) } : nil
  }

  /// Does an end of the same subject stand in the past of this one, judged no later, which reaches whatever this reaches?
  ///
  /// The answer rests on nothing that ends may change: on the rank that the author has at most, not on the one it has.
  func isRedundant(_ subject: ControlOperation.Subject, of index: Int, _ standing: Ends) -> Bool {
    let same = standing[subject]
    if same.isEmpty { return false }
    let record = records[index]
    let isOwn = isOwn(subject, of: record)
    let highest = highestRank(of: index)
    return same.contains { other in
      guard other.record != index, record.saw(records[other.record]) else { return false }
      let isAbove = other.rank >= highest && (isOwn || !other.isOwn || other.rank >= .founder)
      switch subject {
      case .device, .log:
        // One's own is reached whatever the rank.
        return isOwn ? other.isOwn && (!record.isRecovery || other.rank == .recovery) : isAbove
      case .invite:
        return isAbove && (!isOwn || other.isOwn && records[other.record].device == record.device)
      case .role(let device):
        // Not if a role was given that only this one takes back.
        let isLeft = (grants[device] ?? []).contains { given in
          records[given].saw(records[other.record]) && !records[given].saw(record)
        }
        return !isLeft && (isOwn ? other.isOwn && (!record.isRecovery || other.rank == .recovery) : isAbove)
      case .session, .userKey:
        return false
      }
    }
  }

  /// Does the subject belong to the record's own device, as far as it knew?
  private func isOwn(_ subject: ControlOperation.Subject, of record: Record) -> Bool {
    switch subject {
    case .device(let device), .role(let device): return device == record.device
    case .log(let log):
      return records.contains {
        $0.log == log && $0.device == record.device && ($0.dot.log == record.dot.log || record.saw($0))
      }
    case .invite(let key):
      return (registrations[key] ?? []).contains { registration in
        let registering = records[registration.record]
        return registering.device == record.device && record.saw(registering)
      }
    case .session, .userKey:
      return false
    }
  }
}

// MARK: Roles

extension Authority {
  /// The rank of a device in the eyes of one of its changes; without a context, of one that has seen everything.
  func rank(of device: Bytes32, at dot: Dot, _ context: Context?, _ judging: Judging) -> Rank {
    if device == genesis?.founder { return .founder }
    var best = Rank.none
    for index in grants[device] ?? [] {
      let grant = records[index]
      let isSeen = grant.dot == dot || context?.covers(grant.dot.log, grant.dot.seq) ?? true
      guard isSeen, index >= judging.verdicts.count || judging.verdicts[index] == nil else { continue }
      guard let role = role(of: device, by: index, judging), Rank(role) > best else { continue }
      if !isEnded(index, of: device, Rank(role), for: dot, judging) { best = Rank(role) }
    }
    return best
  }

  /// Has an end taken the role back that a record gave, in the eyes of a change?
  private func isEnded(_ index: Int, of device: Bytes32, _ rank: Rank, for dot: Dot, _ judging: Judging) -> Bool {
    judging.ends[.role(device)].contains { end in
      guard end.rank > rank || end.isOwn, end.dot != records[index].dot else {
        return false
      }
      let record = records[end.record]
      return !record.context.covers(dot.log, dot.seq) && !records[index].saw(record)
    }
  }

  /// The role that a record gives a device, if it gives it one: by a grant, or by the invite of a join.
  func role(of device: Bytes32, by index: Int, _ judging: Judging) -> Role? {
    let record = records[index]
    var best: Role?
    for case .grant(device, let role) in record.controls { best = max(best ?? role, role) }
    guard record.device == device, case .join(let invite, _)? = record.introduction?.standing else { return best }
    for registration in registrations[invite] ?? [] {
      guard registration.record < index, judging.verdicts[registration.record] == nil,
        record.saw(records[registration.record])
      else { continue }
      best = max(best ?? registration.terms.role, registration.terms.role)
    }
    return best
  }

  /// Was the device an owner's in the past of a change, by that past alone? Decided once and for ever.
  package func wasOwner(_ device: Bytes32, in context: Context) -> Bool {
    guard let founder = genesis?.founder else { return false }
    if device == founder { return true }
    let heads = records.filter { ($0.device == founder || $0.isRecovery) && context.covers($0.dot.log, $0.dot.seq) }
    let ends = heads.filter { $0.controls.contains(.end(.role(device))) }
    return (grants[device] ?? []).contains { index in
      let grant = records[index]
      let isGiven =
        grant.controls.contains(.grant(device: device, .owner)) && (grant.device == founder || grant.isRecovery)
      guard isGiven, context.covers(grant.dot.log, grant.dot.seq) else { return false }
      return ends.allSatisfy { grant.saw($0) || $0.dot == grant.dot }
    }
  }
}
