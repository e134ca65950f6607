/// What a device may do in a space.
public enum Role: UInt8, Sendable, Comparable, CaseIterable, CustomStringConvertible {
  /// Sees everything, changes nothing.
  case reader = 1
  case member = 2
  /// A member who invites, removes members and rotates the key.
  case owner = 3

  public static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }

  public var description: String {
    switch self {
    case .reader: "reader"
    case .member: "member"
    case .owner: "owner"
    }
  }
}
