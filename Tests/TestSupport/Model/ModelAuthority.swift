package import OfflineTree

/// What docs/merge.md says of members, roles and ends, word by word: slow and obvious on purpose.
///
/// Changes are known by their index, which is their place in some causal order.
package struct ModelAuthority: Sendable {
  package struct Change: Sendable {
    package var device: Bytes32
    /// The id under which its log was introduced.
    package var log: LogID
    /// The index of change 0 of its log, on its own branch.
    package var beginning: Int
    /// What it had seen, itself not included.
    package var past: BitSet
    package var standing: Introduction.Standing?
    package var controls: [ControlOperation] = []
    package var isRecovery = false
    package var writes = false
    package var isVoidByForm = false

    package init(device: Bytes32, log: LogID, beginning: Int, past: BitSet) {
      self.device = device
      self.log = log
      self.beginning = beginning
      self.past = past
    }
  }

  package struct End: Hashable, Sendable {
    package let change: Int
    package let subject: ControlOperation.Subject
    package let rank: Rank
  }

  /// Why a change is void by judgement.
  package enum Reason: Hashable, Sendable {
    case unregistered, noMember, ended, denied, readOnly
  }

  package let founder: Bytes32
  package let membersMayInvite: Bool
  package let changes: [Change]
  /// The ends that stand.
  package private(set) var ends: [End] = []
  /// By change; nil for what stands and for what is void by form.
  package private(set) var verdicts: [Reason?] = []

  package init(founder: Bytes32, membersMayInvite: Bool, _ changes: [Change]) {
    self.founder = founder
    self.membersMayInvite = membersMayInvite
    self.changes = changes
    for step in Step.allCases {
      let found = verdicts(by: ends)
      var new: [End] = []
      for index in changes.indices where isRecord(index) && found[index] == nil {
        for case .end(let subject) in changes[index].controls {
          let rank = changes[index].isRecovery ? .recovery : rank(of: changes[index].device, for: index, found, ends)
          if self.step(of: subject, by: index, rank) == step {
            new.append(End(change: index, subject: subject, rank: rank))
          }
        }
      }
      ends += new
    }
    verdicts = verdicts(by: ends)
  }

  private enum Step: CaseIterable {
    case recovery, founder, owners, own
  }

  private func step(of subject: ControlOperation.Subject, by index: Int, _ rank: Rank) -> Step? {
    if rank == .recovery { return .recovery }
    if rank == .founder { return .founder }
    if isOwn(subject, of: index) { return .own }
    return rank == .owner ? .owners : nil
  }

  /// A change that is not void by form, and introduces a log or acts with authority.
  private func isRecord(_ index: Int) -> Bool {
    !changes[index].isVoidByForm && (changes[index].standing != nil || !changes[index].controls.isEmpty)
  }

  package func saw(_ later: Int, _ earlier: Int) -> Bool { changes[later].past.contains(earlier) }

  // MARK: Verdicts

  /// What these ends alone make void.
  private func verdicts(by ends: [End]) -> [Reason?] {
    var found: [Reason?] = []
    for index in changes.indices { found.append(changes[index].isVoidByForm ? nil : verdict(index, found, ends)) }
    return found
  }

  /// - Parameter found: The verdicts on the changes before.
  private func verdict(_ index: Int, _ found: [Reason?], _ ends: [End]) -> Reason? {
    let change = changes[index]
    if change.isRecovery { return nil }
    if case .join(let invite, _) = change.standing {
      if registrations(of: invite, for: index, found).isEmpty { return .unregistered }
    } else if change.standing == nil || change.standing == .open {
      if !isMember(index, found) { return .noMember }
    }
    let rank = rank(of: change.device, for: index, found, ends)
    for end in ends where reaches(end, index, rank, found) { return .ended }
    for operation in change.controls where !may(operation, index, rank) { return .denied }
    return change.writes && rank < .member ? .readOnly : nil
  }

  private func stands(_ index: Int, _ found: [Reason?]) -> Bool {
    !changes[index].isVoidByForm && found[index] == nil
  }

  /// Records that a change had seen, that stand, and that register an invite.
  private func registrations(of invite: Bytes32, for index: Int, _ found: [Reason?]) -> [Int] {
    changes.indices.filter { other in
      saw(index, other) && stands(other, found) && changes[other].controls.contains { $0.registers(invite) }
    }
  }

  /// Does the log stand on the genesis or on a join: its own change 0, or one that this had seen?
  private func isMember(_ index: Int, _ found: [Reason?]) -> Bool {
    let beginning = changes[index].beginning
    if changes[beginning].isVoidByForm { return false }
    return changes.indices.contains { other in
      let isHere = other == beginning || saw(beginning, other)
      guard isHere, other != index, changes[other].device == changes[index].device else { return false }
      switch changes[other].standing {
      case .genesis, .join: return stands(other, found)
      case .open, nil: return false
      }
    }
  }

  private func reaches(_ end: End, _ index: Int, _ rank: Rank, _ found: [Reason?]) -> Bool {
    if index == end.change || saw(end.change, index) { return false }
    var isOwn = isOwn(end.subject, of: end.change)
    switch end.subject {
    case .device(let device): if device != changes[index].device { return false }
    case .log(let log): if log != changes[index].log { return false }
    case .invite(let invite):
      guard case .join(invite, _) = changes[index].standing else { return false }
      let minter = changes[end.change].device
      isOwn = isOwn && registrations(of: invite, for: index, found).allSatisfy { changes[$0].device == minter }
    case .role, .session, .userKey: return false
    }
    return end.rank > rank || isOwn
  }

  private func may(_ operation: ControlOperation, _ index: Int, _ rank: Rank) -> Bool {
    switch operation {
    case .invite(let terms):
      terms.role == .owner ? rank >= .founder : rank >= .owner || rank == .member && membersMayInvite
    case .grant(_, let role): role == .owner ? rank >= .founder : rank >= .owner
    case .end(let subject): rank >= .owner || isOwn(subject, of: index)
    case .rotate, .rules, .vouch, .moderate, .attest: rank >= .owner
    case .deviceName, .deliver, .lockbox, .keep, .recovery: true
    // Acts about people are `ModelPeople`'s.
    case .account, .rekey, .session, .retract: true
    }
  }

  /// Does the subject belong to the change's own device, as far as the change had seen?
  private func isOwn(_ subject: ControlOperation.Subject, of index: Int) -> Bool {
    let device = changes[index].device
    let seen = changes.indices.filter { saw(index, $0) && changes[$0].device == device && !changes[$0].isVoidByForm }
    switch subject {
    case .device(let other), .role(let other): return other == device
    case .log(let log): return seen.contains { changes[$0].log == log && changes[$0].standing != nil }
    case .invite(let invite): return seen.contains { changes[$0].controls.contains { $0.registers(invite) } }
    case .session, .userKey: return true
    }
  }

  // MARK: Ranks

  /// The rank of a device in the eyes of a change, as all that stands says.
  package func rank(of device: Bytes32, for index: Int) -> Rank { rank(of: device, for: index, verdicts, ends) }

  /// The rank of a device in the eyes of a change.
  private func rank(of device: Bytes32, for index: Int, _ found: [Reason?], _ ends: [End]) -> Rank {
    if device == founder { return .founder }
    var best = Rank.none
    for giver in changes.indices where giver == index || saw(index, giver) && stands(giver, found) {
      for role in roles(given: device, by: giver, found) {
        let isTaken = ends.contains { end in
          end.subject == .role(device) && (end.rank > Rank(role) || changes[end.change].device == device)
            && !saw(end.change, index) && !saw(giver, end.change) && end.change != giver
        }
        if !isTaken { best = max(best, Rank(role)) }
      }
    }
    return best
  }

  private func roles(given device: Bytes32, by giver: Int, _ found: [Reason?]) -> [Role] {
    var roles: [Role] = []
    for case .grant(device, let role) in changes[giver].controls { roles.append(role) }
    if case .join(let invite, _) = changes[giver].standing, changes[giver].device == device {
      for registration in registrations(of: invite, for: giver, found) {
        for case .invite(let terms) in changes[registration].controls where terms.publicKey == invite {
          roles.append(terms.role)
        }
      }
    }
    return roles
  }
}

extension ControlOperation {
  fileprivate func registers(_ invite: Bytes32) -> Bool {
    if case .invite(let terms) = self { return terms.publicKey == invite }
    return false
  }
}
