import TestSupport
import Testing

@testable import OfflineTree

@Suite struct AccountKeyTests {
  let environment = TestClock(seed: 7).environment
  let password: Password
  let key: AccountKey

  init() throws {
    password = try Password(text: PeopleFleet.password)
    let code = RecoveryCode(for: .account, environment: environment)
    let terms = AccountKey.Terms(
      version: 0, email: "ada@example.org", username: "Ada", recoveryKey: code.publicKey, profile: .smallest)
    key = try AccountKey(sealing: terms, password, environment: environment) { publicKey in
      Account.userID(space: .zero, publicKey: publicKey, random: .zero)
    }
  }

  /// The account with one part taken from elsewhere.
  private func account(
    version: UInt64? = nil, email: String? = nil, publicKey: Bytes32? = nil, recoveryKey: Bytes32? = nil,
    profile: UInt8? = nil, salt: Bytes16? = nil, nonce: [UInt8]? = nil, box: [UInt8]? = nil
  ) -> Account {
    let account = key.account
    return Account(
      user: account.user, version: version ?? account.version, email: email ?? account.email,
      username: account.username, publicKey: publicKey ?? account.publicKey,
      recoveryKey: recoveryKey ?? account.recoveryKey, profile: profile ?? account.profile,
      salt: salt ?? account.salt, nonce: nonce ?? account.nonce, box: box ?? account.box)
  }

  @Test func `the password opens the box, and another does not`() throws {
    let opened = try #require(try AccountKey(opening: key.account, password))
    #expect(opened.account == key.account)
    #expect(try AccountKey(opening: key.account, try Password(text: PeopleFleet.other)) == nil)
  }

  @Test func `what was opened signs as the account's key`() throws {
    let opened = try #require(try AccountKey(opening: key.account, password))
    let device = Bytes32(0..<32)
    let grant = opened.session(random: .zero, space: .zero, device: device)
    #expect(grant.fault(space: .zero, device: device) == nil)
    #expect(grant.fault(space: .zero, device: .zero) != nil)
    guard case .account(let new) = opened.newAccount(random: .zero, space: .zero, device: device) else {
      Issue.record("no new account")
      return
    }
    #expect(new.fault(space: .zero, device: device) == nil)
  }

  @Test func `a box does not open when anything of its account differs`() throws {
    var box = key.account.box
    box[5] ^= 1
    var nonce = key.account.nonce
    nonce[0] ^= 1
    let changed = [
      account(version: 1), account(email: "eve@example.org"), account(publicKey: .zero), account(recoveryKey: .zero),
      account(salt: .zero), account(nonce: nonce), account(box: box), account(box: []),
    ]
    for account in changed { #expect(try AccountKey(opening: account, password) == nil, "\(account)") }
  }

  @Test func `a box that opens to a seed of another key is refused`() throws {
    let opening = try Sodium.passwordKey(password.secret, salt: key.account.salt, .smallest)
    for seed in [[UInt8](repeating: 3, count: 32), [1, 2, 3], []] {
      let box = Sodium.seal(seed, nonce: key.account.nonce, additional: key.account.header, opening)
      let forged = account(box: box)
      #expect(Sodium.open(box[...], nonce: forged.nonce, additional: forged.header, opening) == seed)
      #expect(try AccountKey(opening: forged, password) == nil)
    }
  }

  @Test(arguments: [UInt8(0), 3, 99, 255])
  func `a profile that is not in the list opens nothing`(_ profile: UInt8) throws {
    #expect(try AccountKey(opening: account(profile: profile), password) == nil)
  }

  @Test func `a code gives another key for an account than for a space`() throws {
    let text = RecoveryCode(environment: environment).text
    let (space, account) = (try RecoveryCode(parsing: text), try RecoveryCode(parsing: text, for: .account))
    #expect(space.text == account.text)
    #expect(space.publicKey != account.publicKey)
  }
}
