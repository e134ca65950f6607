import OfflineTree
import TestSupport

/// People who sign up, log in and out, change passwords and write on a few devices, with copies, owners who come and go,
/// rules that change, and liars among them.
struct PeopleHistory {
  /// A copy of a device, with what it knows and the log that it writes to.
  private struct Writer {
    let keys: TestDevice
    var device: ModelDevice
  }

  let space: ModelSpace
  private(set) var records: [Record]
  let people: [TestPerson]
  private var writers: [Writer]
  /// Keys that states of accounts may have, by person.
  private let keys: [[SigningKey]]
  private var random: SeededRandom
  private var time: Int64 = 1_000

  static let documents = [
    #"{"rules": {".write": "auth != null"}}"#,
    #"""
    {"rules": {
      "n": {".write": "auth.token.name == 'ann'"}, "m": {".write": "auth.token.email_verified", ".vote": "auth != null"},
      "users": {"$uid": {".write": "auth.uid == $uid"}}, "k": {".write": true, ".validate": "newData.isNumber()"},
      "e": {".write": true}}}
    """#,
    #"{"rules": {".write": "auth == null"}}"#,
  ]

  init(seed: UInt64, count: Int) throws {
    random = SeededRandom(seed: seed)
    let set = Genesis.AddOnlySet(path: try Path("e"), keys: .open)
    let rules = random.chance(50) ? Array(Self.documents[1].utf8) : []
    let space = try ModelSpace(devices: ["a", "b", "c"], addOnlySets: [set], rules: rules, seed: seed)
    self.space = space
    records = space.introductions
    let introductions = records
    writers = space.logs.map { Writer(keys: $0.device, device: ModelDevice($0, knowing: introductions)) }
    people = ["ann", "ben"].map { TestPerson($0, space: space.id) }
    keys = people.map { person in [person.key] + (1..<4).map { TestPerson.key("\(person.username) \($0)") } }
    try begin()
    while records.count < count { try step() }
  }

  /// Most accounts are there from the beginning, and most devices have heard of them.
  private mutating func begin() throws {
    for (index, person) in people.enumerated() where random.chance(90) {
      let device = writers[index].keys
      let acts = [person.signUp(on: device), person.logIn(on: device)]
      try control(index, acts, random.chance(50) ? [operation()] : [], author: random.chance(50) ? person.user : nil)
      for index in writers.indices where random.chance(80) { writers[index].device.learn(records) }
      if random.chance(60) { try control(2, [person.logIn(on: writers[2].keys)]) }
    }
    let owner = random.pick(writers.indices.filter { $0 != space.founder })
    if random.chance(60) { try control(space.founder, [.grant(device: writers[owner].keys.key, .owner)]) }
    if random.chance(30) { try contest() }
    for index in writers.indices where random.chance(70) { writers[index].device.learn(records) }
  }

  /// Two devices of one person set a password each, apart.
  private mutating func contest() throws {
    for index in 0..<2 {
      writers[index].device.learn(records)
      try control(index, [people[0].logIn(on: writers[index].keys, number: 1)])
    }
    for index in 0..<2 {
      let device = writers[index].keys
      try control(
        index,
        [people[0].rekey(to: keys[0][index + 1], on: device), people[0].logIn(on: device, by: keys[0][index + 1])])
    }
  }

  private mutating func step() throws {
    time += random.pick([0, 1, 5])
    let index = Int.random(in: writers.indices, using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<30: records.append(try writers[index].device.append([operation()], author: author(), at: time))
    case 30..<52: writers[index].device.learn(random.pick(writers).device.known)
    case 52..<82:
      let writes = random.chance(25) ? [operation()] : []
      let acts = personActs(on: index)
      try control(index, acts, writes, author: random.chance(40) ? acts.compactMap(\.person).first : nil)
    case 82..<90: try control(index, [deviceAct()])
    case 90..<95:
      let acts = random.chance(50) ? personActs(on: index) : []
      let author = acts.compactMap(\.person).first ?? author()
      records.append(try writers[index].device.appendBlindly(acts, [operation()], author: author, at: time))
    default: copy(index)
    }
  }

  private mutating func author() -> Key? { random.chance(75) ? random.pick(people).user : nil }

  private mutating func operation() -> Operation {
    let user = random.pick(people).user.text
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return .put("users/\(user)/x", random.pick([1, 2]))
    case 1, 3: return .put("e/\(random.pick(["p", "q"]))", random.pick([1, 2]))
    case 2: return .vote("m", voter: user, choice: random.pick([-1, 0, 1]))
    default: return random.operation(paths: ["n", "n", "n/x", "m", "k"])
    }
  }

  private mutating func control(
    _ index: Int, _ controls: [ControlOperation], _ operations: [Operation] = [], author: Key? = nil
  ) throws {
    records.append(try writers[index].device.control(controls, operations, author: author, at: time))
  }

  // MARK: Acts

  /// One or two acts about one person; most are right where everything before them is.
  private mutating func personActs(on index: Int) -> [ControlOperation] {
    let number = Int.random(in: people.indices, using: &random)
    let acts = [personAct(number, on: index)]
    return random.chance(30) ? acts + [personAct(number, on: index)] : acts
  }

  private mutating func personAct(_ number: Int, on index: Int) -> ControlOperation {
    let name = random.chance(20) ? random.pick(["ann", "eve"]) : people[number].username
    let person = people[number].named(name)
    // Now and then for another device than its own: void by form.
    let device = random.chance(95) ? writers[index].keys : random.pick(writers).keys
    let (key, login) = (random.pick(keys[number]), UInt8.random(in: 0..<2, using: &random))
    switch Int.random(in: 0..<13, using: &random) {
    case 0: return person.signUp(on: device)
    case 1..<5: return person.logIn(on: device, by: random.chance(50) ? person.key : key, number: login)
    case 5..<8:
      let before = Int.random(in: 0..<2, using: &random)
      let next = before + Int.random(in: 1..<3, using: &random)
      let version = random.chance(90) ? UInt64(before + 1) : UInt64(next)
      let signer = random.pick([nil, nil, nil, person.recovery, keys[number][0]])
      let recovery = random.chance(10) ? TestPerson.key("other recovery") : nil
      return person.rekey(
        to: keys[number][next], version: version, from: keys[number][before], by: signer, recovery: recovery,
        on: device)
    case 8..<10:
      return person.logOut(of: random.pick(writers).keys, by: random.chance(50) ? person.key : key, number: login)
    case 10: return .end(.userKey(user: person.user, key.publicKey))
    default: return .retract(PathKey(random.pick(["e/p", "e/q"])))
    }
  }

  private mutating func deviceAct() -> ControlOperation {
    let (person, device) = (random.pick(people), random.pick(writers).keys.key)
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<3: return .vouch(user: person.user, email: random.pick([person.email, person.email, "x@example.org"]))
    case 3..<6: return .rules(Array(random.pick(Self.documents).utf8))
    case 6..<8: return .moderate(PathKey(random.pick(["e/p", "e/q"])), isHidden: random.chance(70))
    case 8: return .grant(device: device, random.pick([.member, .owner]))
    case 9: return .end(.role(device))
    case 10: return .end(.device(device))
    default: return .deviceName("x")
    }
  }

  /// An earlier state of the device goes on beside it: its next change forks the log.
  private mutating func copy(_ index: Int) {
    if writers.count > 6 { return }
    let writer = writers[index]
    let length = Int.random(in: 1...writer.device.log.records.count, using: &random)
    let log = writer.device.log.prefix(length)
    // What the log's last change had seen is what the copy knows at least.
    guard let history = try? writer.device.history(), let tip = log.tip.flatMap({ history.index(of: $0.hash) }) else {
      return
    }
    let known = history.records.indices.filter { $0 == tip || history.saw(tip, $0) }.map { history.records[$0] }
    writers.append(Writer(keys: writer.keys, device: ModelDevice(log, knowing: known)))
  }
}
