/// Following who is logged in, and what stands about people.
extension Auth {
  /// Who is logged in now, and each time that changes: by this process, by another one of the home, or because a sync
  /// has brought another password or the end of the session. Nil while nobody is; `signOutReason` then says why.
  ///
  /// A slow reader gets the newest and misses those between. Ends with the task that reads it, or throws what keeps it
  /// from being known.
  public var stateChanges: AsyncThrowingStream<User?, any Error> {
    // What was told last; nil before the first.
    database.stream(from: User??.none) { [self] told in
      let user = try currentUser
      if let told, told == user { return nil }
      told = .some(user)
      return .some(user)
    }
  }

  /// What the tree says of a person; nil if there is no entry. Anybody may have written it whom the rules let.
  public func profile(of user: Key) throws -> Profile? {
    let path = try entry(of: user)
    let value = try database.read { try $0.value(at: path) }
    return value.isNull ? nil : Profile(user, value)
  }

  /// The image that the person's entry names, if it is on this device.
  public func profileImage(of user: Key) throws -> [UInt8]? {
    let path = try entry(of: user).child(Profile.Field.profileImageName)
    guard case .string(let name)? = try database.read({ try $0.scalar(at: path) }) else { return nil }
    return try database.blob(named: name)
  }
}
