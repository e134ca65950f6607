/// How far the word of a change reaches: the order in which ends are judged (docs/merge.md).
package enum Rank: UInt8, Comparable, Sendable {
  /// Of a device that has no role.
  case none = 0
  case reader, member, owner
  /// Of the device that made the space.
  case founder
  /// Of the owner-recovery key.
  case recovery

  package init(_ role: Role) {
    self =
      switch role {
      case .reader: .reader
      case .member: .member
      case .owner: .owner
      }
  }

  package static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
}
