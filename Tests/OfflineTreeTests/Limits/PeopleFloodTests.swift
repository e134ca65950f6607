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

  enum Ended: CaseIterable {
    case sessions, keys, voidSessions

    /// What logs in, and out again, so often that nothing is left.
    func controls(_ range: Range<Int>, _ story: PeopleStory) -> [[ControlOperation]] {
      let (ben, device) = (story.ben, story.second.device)
      switch self {
      case .sessions:
        return [range.map { ben.logIn(on: device, random: $0) }, range.map { ben.logOut(of: device, random: $0) }]
      case .keys:
        return range.flatMap { number -> [[ControlOperation]] in
          let previous = number == 0 ? ben.key : TestPerson.key("\(number - 1)")
          let next = TestPerson.key("\(number)")
          return [
            [ben.rekey(to: next, version: UInt64(number + 1), from: previous, on: device)],
            [.session(ben.grant(to: device, by: next))],
            number + 1 == range.upperBound ? [ben.logOut(of: device, by: next)] : [],
          ]
        }
      case .voidSessions:
        // What ends a session that nobody was granted is void, with all that is in it.
        return [range.map { ben.logIn(on: device, random: $0) } + [ben.logOut(of: device, random: -1)]]
      }
    }
  }

  @Test(arguments: Ended.allCases)
  func `many log-ins that have ended do not slow down what is written after them`(kind: Ended) throws {
    var story = try PeopleStory()
    let (ben, device) = (story.ben, story.second.device)
    try story.second.control([ben.signUp(on: device)], stamp: story.next())
    let sessions = kind == .keys ? Self.count : 10 * Self.count
    // Log-ins fit into a change by the thousand; of keys each follows from the one before.
    let chunk = kind == .keys ? sessions : 1_000
    for start in stride(from: 0, to: sessions, by: chunk) {
      for controls in kind.controls(start..<min(start + chunk, sessions), story) where !controls.isEmpty {
        try story.second.control(controls.normalized, stamp: story.next())
      }
    }
    for number in 0..<10 * Self.count {
      if number.isMultiple(of: 4) {
        try story.second.control([.retract(PathKey("own/\(number)"))], stamp: story.next(), author: ben.user)
      } else {
        try story.second.write([.put("ben", Int64(number))], stamp: story.next(), author: ben.user)
      }
    }
    let listener = try Listener(story.space)
    #expect(try listener.receive(story.records).refused.isEmpty)
    #expect(try listener.database.read { try $0.status() }.voids.count >= 1)
    // An end that had seen all of it, and another that had not: it is all judged anew.
    let own = kind == .keys ? TestPerson.key("\(Self.count - 1)") : ben.key
    try story.second.control([.session(ben.grant(to: device, by: own, number: 250))], stamp: story.next())
    let logIn = try story.second.write([.put("ben", 1)], stamp: story.next(), author: ben.user)
    try story.founder.control(
      [ben.logOut(of: device, by: own, number: 250)], seeing: [logIn], stamp: story.next())
    try story.second.write([.put("ben", 2)], stamp: story.next(), author: ben.user)
    #expect(try listener.receive([story.second.run]).refused.isEmpty)
    #expect(try listener.database.read { try $0.value(at: .root) } == Value(json: #"{"ben": 2}"#))
    #expect(try listener.receive(story.records).refused.isEmpty)
    #expect(try listener.database.read { try $0.value(at: .root) } == Value(json: #"{"ben": 1}"#))
    #expect(try listener.database.verify().problems.isEmpty)
  }

  @Test func `a change that ends all of a device's log-ins looks once at what the device wrote`() throws {
    var story = try PeopleStory()
    let (ben, device) = (story.ben, story.first.device)
    let signUp = try story.second.control(
      [ben.signUp(on: story.second.device), ben.logIn(on: story.second.device)].normalized, stamp: story.next())
    let numbers = 0..<min(10 * Self.count, Limits.changeControls)
    let logIns = try story.first.control(
      numbers.map { ben.logIn(on: device, random: $0) }.normalized, seeing: [signUp], stamp: story.next())
    for number in 0..<1_000 {
      try story.first.write((0..<20).map { .put("a/\($0)", Int64(number)) }, stamp: story.next())
    }
    let listener = try Listener(story.space)
    #expect(try listener.receive(story.records).refused.isEmpty)
    let logOuts = try story.second.control(
      numbers.map { ben.logOut(of: device, random: $0) }.normalized, seeing: [logIns], stamp: story.next(),
      author: ben.user)
    #expect(try listener.receive([logOuts]).refused.isEmpty)
    #expect(try listener.database.read { try $0.value(at: try Path("a/7")) } == Value(json: "999"))
    try story.first.write([.put("ben", 1)], stamp: story.next(), author: ben.user)
    #expect(try listener.receive(story.records).refused.isEmpty)
    #expect(try !listener.database.read { try $0.exists(at: try Path("ben")) })
    #expect(try listener.database.verify().problems.isEmpty)
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
