internal import Dispatch

/// The same doors, suspending instead of blocking: what takes a password runs on a thread of its own, one at a time.
extension Auth {
  public func createUser(
    withEmail email: String, password: Password, username: String, profileImage: [UInt8]? = nil
  ) async throws -> SignUp {
    try await away {
      try self.createUser(withEmail: email, password: password, username: username, profileImage: profileImage)
    }
  }

  @discardableResult
  public func signIn(withEmail email: String, password: Password, user: Key? = nil) async throws -> User {
    try await away { try self.signIn(withEmail: email, password: password, user: user) }
  }

  public func updatePassword(from old: Password, to new: Password) async throws {
    try await away { try self.updatePassword(from: old, to: new) }
  }

  @discardableResult
  public func updateEmail(to email: String, password: Password) async throws -> User {
    try await away { try self.updateEmail(to: email, password: password) }
  }

  @discardableResult
  public func updateUsername(to username: String, password: Password) async throws -> User {
    try await away { try self.updateUsername(to: username, password: password) }
  }

  @discardableResult
  public func recover(
    withEmail email: String, code: RecoveryCode, newPassword: Password, user: Key? = nil
  ) async throws -> User {
    try await away { try self.recover(withEmail: email, code: code, newPassword: newPassword, user: user) }
  }

  public func delete(password: Password) async throws {
    try await away { try self.delete(password: password) }
  }

  private static let thread = DispatchQueue(label: "OfflineTree.Auth")

  private func away<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      Self.thread.async { continuation.resume(with: Result(catching: body)) }
    }
  }
}
