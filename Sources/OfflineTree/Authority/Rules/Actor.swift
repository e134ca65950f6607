/// Who acts, as the rules see it: `auth`.
package struct Actor: Sendable, Equatable {
  package let uid: Key
  /// Self-asserted, unless `isEmailVerified`.
  package let email: String
  /// `auth.token.name`: the account's username.
  package let name: String
  /// `auth.token.email_verified`: an owner vouched for the account.
  package let isEmailVerified: Bool

  package init(uid: Key, email: String, name: String, isEmailVerified: Bool) {
    self.uid = uid
    self.email = email
    self.name = name
    self.isEmailVerified = isEmailVerified
  }
}
