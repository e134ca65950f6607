/// By what a device is in the space, for rules on how many devices come how.
extension Authority {
  package enum Origin: Hashable, Sendable {
    /// It made the space, or somebody gave it a role.
    case role
    /// Nothing but this invite.
    case invite(Bytes32)
    /// Nothing that stands, as far as is known.
    case nothing
  }

  package func origin(of device: Bytes32) -> Origin {
    var invite: Bytes32?
    for index in grants[device] ?? [] where verdicts[index] == nil {
      guard let key = records[index].introduction?.standing.invite else { return .role }
      invite = invite ?? key
    }
    return invite.map { .invite($0) } ?? .nothing
  }

  /// Logs that were introduced by the invite, whether they stand or not.
  package func joinCount(of invite: Bytes32) -> Int { joinCounts[invite] ?? 0 }

  /// Has the invite brought as many devices as are delivered by its own word?
  package func isUsedUp(invite: Bytes32) -> Bool { joinCount(of: invite) >= Limits.devicesPerInvite }
}
