/// A device of a space, as people see it.
public struct Member: Sendable, Equatable {
  public let deviceKey: Bytes32
  public let name: String
  /// Nil once it has none: it was removed, left, or came by an invite that was ended before.
  public let role: Role?
  public let isFounder: Bool
  /// Is it the device that asks?
  public let isSelf: Bool
  /// It does not take part any more, or never did.
  public let isEnded: Bool
  /// Who ended it, if somebody did.
  public let endedBy: String?
  /// Has it ended itself?
  public let hasLeft: Bool
  /// When it introduced itself, by its own clock, in milliseconds since 1970.
  public let introducedAt: Int64
}

/// An invite, as people see it; the line itself is nowhere but with whoever got it.
public struct InviteStatus: Sendable, Equatable {
  public let publicKey: Bytes32
  public let role: Role
  public let minter: Bytes32
  public let minterName: String
  /// Did this device make it?
  public let isOwn: Bool
  public let mintedAt: Int64
  /// Milliseconds since 1970 after which its minter's device ends it; nil for never.
  public let notAfter: Int64?
  public let isOpen: Bool
  /// Names of the devices that joined by it.
  public let devices: [String]
}

extension Database {
  /// Every device that was ever introduced, in the order in which this one heard of them.
  public func members() throws -> [Member] {
    try view { _, replica in
      let authority = replica.authority
      return authority.devices.map { device in
        let isEnded = authority.isEnded(device)
        let end = authority.ending(of: device)
        return Member(
          deviceKey: device, name: authority.name(of: device), role: authority.rank(of: device).role,
          isFounder: device == replica.genesis?.founder, isSelf: device == deviceKey, isEnded: isEnded,
          endedBy: isEnded ? end.map { authority.name(of: authority.records[$0.record].device) } : nil,
          hasLeft: isEnded && end.map { authority.records[$0.record].device == device } ?? false,
          introducedAt: authority.records.first { $0.device == device && $0.introduction != nil }?.wallTime ?? 0)
      }
    }
  }

  /// Every invite that was registered, in the order in which this device heard of them.
  public func invites() throws -> [InviteStatus] {
    try view { _, replica in
      let authority = replica.authority
      return authority.invites.map { index, terms in
        let record = authority.records[index]
        let joined = authority.records.filter {
          if case .join(terms.publicKey, _)? = $0.introduction?.standing { true } else { false }
        }
        return InviteStatus(
          publicKey: terms.publicKey, role: terms.role, minter: record.device,
          minterName: authority.name(of: record.device), isOwn: record.device == deviceKey, mintedAt: record.wallTime,
          notAfter: terms.notAfter == 0 ? nil : Int64(clamping: terms.notAfter),
          isOpen: authority.isOpen(invite: terms.publicKey), devices: joined.map { authority.name(of: $0.device) })
      }
    }
  }
}

/// How this device itself stands in its space.
public struct OwnStanding: Sendable, Equatable {
  /// Has it introduced itself? Before, it cannot write.
  public let isIntroduced: Bool
  /// It has not, and cannot: the invite by which it came was ended before, or has let in all that one lets in.
  public let isInviteEnded: Bool
  /// It has not, and never will: it was restored to be read, with neither a device's keys nor an invite.
  public let isReadOnly: Bool
  /// Has it the key under which the others seal what they write now? Without it, it waits for a member to deliver it.
  public let hasCurrentKey: Bool
}

extension Database {
  /// How this device stands in its space.
  public func ownStanding() throws -> OwnStanding {
    try view { [self] rows, replica in
      let isIntroduced = replica.isIntroduced
      var isInviteEnded = false
      let claim = try replica.claim(rows)
      if !isIntroduced, let claim {
        isInviteEnded =
          claim.standing.invite.flatMap { replica.authority.registration(of: $0) } != nil && !replica.admits(claim)
      }
      let current = replica.authority.epochs(at: nil)
      return OwnStanding(
        isIntroduced: isIntroduced, isInviteEnded: isInviteEnded,
        isReadOnly: !isIntroduced && claim == nil && replica.genesis != nil,
        hasCurrentKey: current.isEmpty || keyring(replica).mix(current) != nil)
    }
  }
}

extension Rank {
  /// The role that people see.
  var role: Role? {
    switch self {
    case .none: nil
    case .reader: .reader
    case .member: .member
    case .owner, .founder, .recovery: .owner
    }
  }
}
