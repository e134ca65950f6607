import OfflineTree
import TestSupport
import Testing

/// A member that signs up, logs in and out, and changes its password without end.
@Suite struct PeopleFloodTests {
  /// By `OFFLINETREE_SEEDS`, in per cent.
  private static let count = Seeds.scaled(400).count

  enum Flood: CaseIterable {
    case accounts, sessions, repeats, logOuts, logOutsElsewhere, passwords, rivalPasswords, vouches, rules

    func controls(_ number: Int, _ story: PeopleStory) -> [ControlOperation] {
      let (ben, device) = (story.ben, story.second.device)
      switch self {
      case .accounts: return [TestPerson("p\(number)", space: story.space.id).signUp(on: device)]
      case .sessions: return [ben.logIn(on: device, random: number)]
      case .repeats: return [ben.logIn(on: device)]
      case .logOuts:
        let random = number / 2 + 1
        return [
          number.isMultiple(of: 2) ? ben.logIn(on: device, random: random) : ben.logOut(of: device, random: random)
        ]
      case .logOutsElsewhere: return [ben.logOut(of: story.first.device, random: number)]
      case .passwords:
        let previous = number == 0 ? ben.key : TestPerson.key("\(number - 1)")
        return [ben.rekey(to: TestPerson.key("\(number)"), version: UInt64(number + 1), from: previous, on: device)]
      case .rivalPasswords: return [ben.rekey(to: TestPerson.key("\(number)"), on: device)]
      case .vouches: return [.vouch(user: story.ann.user, email: story.ann.email)]
      case .rules: return [.rules(Array(#"{"rules": {".write": \#(number.isMultiple(of: 2))}}"#.utf8))]
      }
    }
  }

  @Test(arguments: Flood.allCases)
  func `acts without end are taken, and nobody else notices`(flood: Flood) throws {
    var story = try PeopleStory()
    let (ann, ben) = (story.ann, story.ben)
    let signUp = try story.second.control(
      [ben.signUp(on: story.second.device), ben.logIn(on: story.second.device)].normalized, stamp: story.next())
    var logIns = [ann.signUp(on: story.first.device), ann.logIn(on: story.first.device)]
    var known = try story.first.control(logIns.normalized, seeing: [signUp], stamp: story.next())
    if flood == .logOutsElsewhere {
      // ben's other device, whose writes the one that floods never sees.
      for start in stride(from: 0, to: Self.count, by: 1_000) {
        logIns = (start..<min(start + 1_000, Self.count)).map { ben.logIn(on: story.first.device, random: $0) }
        known = try story.first.control(logIns.normalized, stamp: story.next())
      }
      try story.second.write([], seeing: [known], stamp: story.next())
      try story.first.write([.put("elsewhere", 1)], stamp: story.next(), author: ben.user)
    }
    for number in 0..<Self.count {
      try story.second.control(
        flood.controls(number, story), stamp: story.next(), author: flood == .logOutsElsewhere ? ben.user : nil)
    }
    let listener = try Listener(story.space, isMember: true)
    try listener.receive(story.records.filter { $0.log != story.second.id })
    #expect(try listener.receive([story.second.run]).refused.isEmpty)
    try story.first.write(
      [.put("ann", 1)], seeing: story.second.records.suffix(1), stamp: story.next(), author: ann.user)
    try story.second.write([.put("ben", 1)], stamp: story.next(), author: ben.user)
    #expect(try listener.receive(story.records).refused.isEmpty)
    try listener.database.write { try $0.setValue(2, at: try Path("m")) }
    // Of two changed passwords, or two that did not know of each other, none is the one ben has logged in with.
    let isLoggedOut = flood == .passwords || flood == .rivalPasswords
    let tree = try listener.database.read { try $0.value(at: .root) }
    #expect(tree == (try Value(json: isLoggedOut ? #"{"ann": 1, "m": 2}"# : #"{"ann": 1, "ben": 1, "m": 2}"#)))
    #expect(try listener.database.accounts(of: ann.user).map(\.account) == [ann.account()])
    #expect(try listener.database.accounts(of: ben.user).count == 1)
    #expect(try listener.database.verify().problems.isEmpty)
    #expect(try listener.reopened().accounts().count == (flood == .accounts ? 9 : 2))
  }
}

extension TestPerson {
  fileprivate func grant(_ device: TestDevice, random: Int) -> SessionGrant {
    let bytes = Bytes16((0..<8).map { UInt8(truncatingIfNeeded: random >> (8 * $0)) } + [UInt8](repeating: 1, count: 8))
    let message = SessionGrant.message(
      user: user, publicKey: key.publicKey, random: bytes, space: space, device: device.key)
    return SessionGrant(user: user, publicKey: key.publicKey, random: bytes, signature: key.sign(message))
  }

  fileprivate func logIn(on device: TestDevice, random: Int) -> ControlOperation {
    .session(grant(device, random: random))
  }

  fileprivate func logOut(of device: TestDevice, random: Int) -> ControlOperation {
    .end(.session(user: user, grant(device, random: random).id(space: space, device: device.key)))
  }
}
