import TestSupport
import Testing

@testable import OfflineTree

/// Devices of one space, and what a person does on each; passwords cost the least that they can.
final class PeopleFleet {
  let fleet: Fleet

  init(_ count: Int = 2, seed: UInt64 = 1) throws {
    fleet = try Fleet(count, seed: seed, addOnlySets: [], flags: [])
  }

  /// With the add-only sets and flags of every fleet.
  init(withSets count: Int) throws { fleet = try Fleet(count, seed: 1) }

  subscript(index: Int) -> Auth { Auth(fleet[index], profile: .smallest) }

  /// Gives each of the two what the other has.
  func sync(_ first: Int, _ second: Int) throws {
    try fleet.send(from: first, to: second)
    try fleet.send(from: second, to: first)
  }

  @discardableResult
  func signUp(
    _ index: Int, _ email: String = "ada@example.org", password: String = PeopleFleet.password, image: [UInt8]? = nil
  ) throws -> SignUp {
    try self[index].createUser(
      withEmail: email, password: try Password(text: password), username: "Ada", profileImage: image)
  }

  @discardableResult
  func signIn(
    _ index: Int, _ email: String = "ada@example.org", password: String = PeopleFleet.password
  ) throws -> User {
    try self[index].signIn(withEmail: email, password: try Password(text: password))
  }

  static let password = "an uncommon pass phrase"
  static let other = "another uncommon phrase"
}

extension Password {
  convenience init(text: String) throws(TreeError) {
    var bytes = Array(text.utf8)
    try self.init(&bytes)
  }
}

/// The error that `body` throws, if it is one of ours.
func error<R>(_ body: () throws -> R) -> TreeError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? TreeError
  }
}
