import OfflineTree
import TestSupport
import Testing

/// Law 5: add-only means add-only, also against members that lie about contexts and stamps.
@Suite struct AddOnlyTests {
  @Test(arguments: Seeds.scaled(60))
  func `an element of an own set never changes its text and never goes`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let fleet = try Fleet(3, seed: seed)
    // The liar came by an invite, like everybody.
    let device = TestDevice(seed: random.bytes(32))
    var liar = RawLog(space: fleet[0].spaceID, device: device, random: Bytes16(random.bytes(16)))
    let standing = Introduction.Standing.join(
      invite: fleet.invite.publicKey,
      fleet.invite.sign(
        Introduction.joinMessage(
          space: liar.space, deviceKey: device.key, boxKey: device.boxKey, random: liar.random)))
    let registration = try Fleet.records(of: fleet[0])[1]
    _ = try fleet[0].receive(
      [
        try liar.introduce(name: "liar", standing: standing, parents: [registration.parent], stamp: .at(1_000_000, 50))
          .run
      ],
      keepBlocked: true)
    var known: [[Key: Value]] = [[:], [:], [:]]
    for _ in 0..<30 {
      if random.chance(35) {
        let victim = fleet.pick()
        let lie = try liar.lie(random: &random, seeing: try Fleet.records(of: fleet[victim]))
        _ = try fleet[victim].receive([lie.run], keepBlocked: true)
      } else if random.chance(55) {
        try fleet.writeRandomly(fleet.pick())
      } else {
        let (from, to) = fleet.pickPair()
        try fleet.send(from: from, to: to, .random(&random))
      }
      for index in fleet.members.indices { try expectKept(fleet, index, &known[index]) }
    }
    try fleet.meetAll(rounds: 40)
    for index in fleet.members.indices { try expectKept(fleet, index, &known[index]) }
    try fleet.expectConverged()
  }

  private func expectKept(_ fleet: Fleet, _ index: Int, _ known: inout [Key: Value]) throws {
    let elements = try fleet[index].read { try $0.value(at: PathKey("own").path) }
    for (key, text) in known {
      #expect(elements[key]["text"] == text, "seed \(fleet.seed), member \(index), \(key)")
    }
    for member in elements.object?.members ?? [] where !member.value["text"].isNull {
      known[member.key] = member.value["text"]
    }
  }

  @Test func `the doors refuse what would change an element`() throws {
    let fleet = try Fleet(2, seed: 1)
    let joke = NewValue(members: [NewValue.Member(.of("text"), NewValue(Scalar.string("t")))])
    let key = try fleet[0].write { try $0.push(joke, to: PathKey("own").path) }
    try fleet.meetAll()
    let element = PathKey("own/\(key)").path
    let text = PathKey("own/\(key)/text").path
    let refused: [Action] = [
      .set(element, joke), .set(text, NewValue(Scalar.string("u"))), .remove(element), .remove(PathKey("own").path),
      .remove(.root), .set(PathKey("own").path, joke), .increment(text, .int(1)), .vote(text, .of("v"), 1),
      .set(PathKey("own/\(key)/more").path, joke), .set(PathKey("own/free").path, joke),
      .priority(element, .int(1)),
    ]
    for index in 0..<2 {
      for action in refused { #expect(try !fleet[index].write([action]), "\(action)") }
      #expect(try fleet[index].read { try $0.value(at: text) } == .string("t"))
    }
  }
}

extension RawLog {
  /// A change with random contents, a random context and a random stamp, which may be true or not.
  mutating func lie(random: inout SeededRandom, seeing records: [Record]) throws -> Record {
    let own = records.compactMap(\.change).flatMap(\.bindings)
    var paths = ["a", "own", "open/j1", "open/j1/text", "open/j2/votes", "users/u/votes/x", "users", ""]
    for binding in own {
      let element = String(decoding: binding.element.textBytes, as: UTF8.self)
      paths += [element, element + "/text", element + "/votes", element + "/text/deep"]
    }
    var form = NormalForm()
    for _ in 0..<Int.random(in: 1...3, using: &random) { form.append(random.operation(paths: paths)) }
    let seen = random.chance(50) ? [random.pick(records)] : []
    let highest = records.compactMap(\.change?.stamp.milliseconds).max() ?? 0
    let stamp = random.pick([1, highest, highest + 1, highest + 2, highest + (1 << 33)])
    let bindings = random.chance(30) ? own.prefix(1).map { $0 } : []
    return try write(
      form.operations, seeing: seen.filter { $0.log != id }, stamp: .at(stamp), isImport: random.chance(20),
      bindings: bindings)
  }
}
