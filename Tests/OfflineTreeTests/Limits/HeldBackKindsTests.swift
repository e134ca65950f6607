import TestSupport
import Testing

@testable import OfflineTree

/// Logs of strangers, branches, and logs that a device is talked into: so many of each, and then somebody else's word.
@Suite struct HeldBackKindsTests {
  private let space: ModelSpace

  init() throws { space = try ModelSpace(devices: ["a", "b", "c"], seed: 7) }

  private var honest: RawLog { space.logs[space.founder == 0 ? 1 : 0] }
  private var liar: RawLog { space.logs[space.founder == 2 ? 1 : 2] }

  enum Stranger: CaseIterable {
    case uninvited, byNoInvite, withoutSignature
  }

  private func stranger(
    _ number: UInt64, _ kind: Stranger = .uninvited, seeing parents: [Record] = []
  ) throws -> Record {
    var log = RawLog(space: space.id, device: TestDevice(1_000 + number), random: .zero)
    let standing: Introduction.Standing =
      switch kind {
      case .uninvited: .open
      case .byNoInvite:
        RawInvite(seed: [UInt8](repeating: 3, count: 32)).standing(of: log.device, space: space.id, random: .zero)
      case .withoutSignature: .join(invite: space.invite.publicKey, Signature([UInt8](repeating: 1, count: 64)))
      }
    return try log.introduce(
      name: "s", standing: standing, parents: (parents + [space.registration]).map(\.parent), stamp: .at(1_000))
  }

  private func listener() throws -> Listener {
    let listener = try Listener(space)
    try listener.receive(space.introductions)
    return listener
  }

  @Test(arguments: Stranger.allCases)
  func `strangers beyond so many wait for a member's word`(kind: Stranger) throws {
    let listener = try listener()
    let few = try (0..<UInt64(Limits.strangersLogs)).map { try stranger($0, kind) }
    #expect(try listener.receive(few).applied == few.count)
    let (last, other) = (try stranger(100, kind), try stranger(101, kind))
    #expect(try listener.receive([last, other]).blocked.map(\.reason) == [.delayed, .delayed])
    // Strangers have nothing to say about each other.
    #expect(try listener.receive([stranger(102, seeing: [last, other])]).applied == 0)
    var honest = honest
    let word = try honest.write([.put(PathKey("n"), .int(1))], seeing: [last], stamp: .at(5_000))
    #expect(try listener.receive([word]).applied == 2)
    #expect(try listener.database.hasChange(last.position) && !listener.database.hasChange(other.position))
    // What is known of them stays known.
    try listener.database.submit { _, state in
      let counted = state.strangers
      state.findStrangers()
      #expect(state.strangers == counted && counted.count == Limits.strangersLogs + 1)
    }
  }

  @Test func `a stranger who turns out to be invited is none`() throws {
    let listener = try listener()
    var log = RawLog(space: space.id, device: TestDevice(9), random: Bytes16(repeatElement(1, count: 16)))
    let early = try log.introduce(name: "s", standing: .open, parents: [space.registration.parent], stamp: .at(1_000))
    try listener.receive([early])
    try listener.database.submit { _, state in #expect(state.strangers.count == 1) }
    try listener.receive([space.join(TestDevice(9)).records[0]])
    try listener.database.submit { _, state in #expect(state.strangers.isEmpty) }
  }

  @Test func `the word of a newcomer counts as soon as its invite is known, whatever comes first`() throws {
    let few = try (0..<UInt64(Limits.strangersLogs)).map { try stranger($0) }
    let last = try stranger(100)
    let invite = RawInvite(seed: [UInt8](repeating: 4, count: 32))
    var founder = space.logs[space.founder]
    let registration = try founder.control([invite.operation], stamp: .at(2_000))
    for number in UInt64(0)..<4 {
      var newcomer = RawLog(space: space.id, device: TestDevice(number), random: .zero)
      let join = try newcomer.join(invite, name: "n", seeing: [registration, last], stamp: .at(3_000))
      for order in [[join, last, registration], [last, join, registration], [registration, join, last]] {
        let listener = try listener()
        try listener.receive(few)
        for record in order { try listener.receive([record]) }
        #expect(try listener.database.hasChange(join.position), "\(number)")
      }
    }
  }

  @Test func `branches beyond so many wait for another device's word`() throws {
    let listener = try listener()
    let liar = liar
    let branches = (0..<(Limits.branchesPerDevice + 3)).map { number in
      Change(parents: [], stamp: .at(5_000), wallTime: Int64(number), operations: [.put(PathKey("n"), .int(1))])
    }.map { liar.run(of: [$0.body]) }
    for start in stride(from: 0, to: branches.count, by: 50) {
      try listener.receive(Array(branches[start..<min(start + 50, branches.count)]))
    }
    let waiting = try branches.filter { try !listener.database.hasChange($0.records()[0].position) }
    #expect(waiting.count == 2 || waiting.count == 3)
    let late = try #require(waiting.last?.records()[0])
    var honest = honest
    let word = try honest.write([.put(PathKey("m"), .int(1))], seeing: [late], stamp: .at(6_000))
    #expect(try listener.receive([word]).applied >= 2)
    #expect(try listener.database.hasChange(late.position) && listener.database.hasChange(word.position))
    #expect(try listener.database.verify().problems.isEmpty)
  }

  @Test func `on the mere word of others a device leaves only so many logs`() throws {
    let fleet = try Fleet(1, seed: 1)
    let database = fleet[0]
    func leave(isProven: Bool) throws -> Bool {
      let before = try database.writtenPosition()?.log
      try database.leaveLog(isProven: isProven)
      try database.write { try $0.setValue(.int(1), at: try Path("n")) }
      return try database.writtenPosition()?.log != before
    }
    for _ in 1..<Limits.logsLeftUnproven { #expect(try leave(isProven: false)) }
    #expect(try !leave(isProven: false))
    #expect(try leave(isProven: true))
    #expect(try !leave(isProven: false))
    #expect(try database.read { try $0.logs() }.count == Limits.logsLeftUnproven + 1)
  }
}
