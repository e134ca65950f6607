/// Somebody with an account in the space.
public struct User: Sendable, Equatable {
  /// 28 characters by which the person is known for ever.
  public let uid: Key
  /// What the person says it is.
  public let email: String
  /// Not unique: two people may choose one name.
  public let username: String
  /// Has an owner of the space vouched for this email?
  public let isEmailVerified: Bool
  /// Wall time of the sign-up, milliseconds since 1970, by the clock of the device on which it was.
  public let createdAt: Int64

  init(_ state: AccountState) {
    uid = state.account.user
    email = state.account.email
    username = state.account.username
    isEmailVerified = state.isVouched
    createdAt = state.createdAt
  }
}

/// What `createUser` makes.
public struct SignUp: Sendable {
  public let user: User
  /// Gives the account back when the password is forgotten. Show it once: nothing keeps it.
  public let recoveryCode: RecoveryCode
  /// Why whoever was logged in before still has a session on this device; nil if they have none, or nobody was.
  public let logOutProblem: TreeError?
}

/// A state of an account, as those see it who look after the space.
public struct KnownUser: Sendable, Equatable {
  public let user: User
  /// The key of this state: what `Auth.resolve` keeps or ends.
  public let publicKey: Bytes32
  /// The device on which the account was made.
  public let device: Bytes32
  public let deviceName: String
  /// Were two passwords set by devices that had not heard of each other? Both count until somebody decides.
  public let isContested: Bool
  /// Is there another account, vouched for or older, with this email?
  public let isSecondWithEmail: Bool
}

/// A log-in of a user on a device.
public struct UserSession: Sendable, Equatable {
  public let id: Bytes16
  public let device: Bytes32
  public let deviceName: String
  /// Milliseconds since 1970, by that device's clock.
  public let since: Int64
  /// Is it on this device?
  public let isOwn: Bool

  init(_ state: SessionState) {
    (id, device, deviceName, since, isOwn) = (state.id, state.device, state.deviceName, state.since, state.isOwn)
  }
}

/// What a person's entry in the tree says.
public struct Profile: Sendable, Equatable {
  public let uid: Key
  public let provider: String?
  public let email: String?
  public let username: String?
  /// Names the image for `Auth.profileImage(of:)`.
  public let profileImageName: String?
  /// Milliseconds since 1970.
  public let createdAt: Int64?
  /// Everything that stands there, these five and others.
  public let value: Value

  init(_ uid: Key, _ value: Value) {
    func text(_ name: String) -> String? { if case .string(let text) = value[name] { text } else { nil } }
    self.uid = uid
    self.value = value
    provider = text(Field.provider)
    email = text(Field.email)
    username = text(Field.username)
    profileImageName = text(Field.profileImageName)
    createdAt = if case .int(let time) = value[Field.createdAt] { time } else { nil }
  }

  /// The members of an entry.
  package enum Field {
    package static let provider = "provider"
    package static let email = "email"
    package static let username = "username"
    package static let profileImageName = "profileImageName"
    package static let createdAt = "createdAt"
  }
}

/// Why somebody who was logged in on this device is not any more.
public enum SignOutReason: Sendable, Equatable, CustomStringConvertible {
  /// The account has another password, email or username; the device and time are those of the first log-in with it.
  case accountChanged(deviceName: String?, at: Int64?)
  /// The session was ended, on another device or by an owner.
  case sessionEnded
  /// The account was deleted, or is not known here.
  case accountGone

  /// A sentence for the person.
  public var description: String {
    switch self {
    case .accountChanged(let device?, _): "your password, email or username was changed on \(device)"
    case .accountChanged(nil, _): "your password, email or username was changed"
    case .sessionEnded: "this device was logged out from elsewhere"
    case .accountGone: "your account was deleted"
    }
  }
}
