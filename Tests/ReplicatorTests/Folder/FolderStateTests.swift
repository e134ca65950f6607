import OfflineTree
import Testing

@testable import Replicator

/// Over a folder, too, homes with the same changes tell each other when they do not hold the same.
@Suite struct FolderStateTests {
  let (homes, first, second): (TestHomes, Database, Database)

  init() throws {
    (homes, first, second) = try TestHomes.two(("anna", "ben"))
    try post("a", 3, on: first)
    for database in [first, second, first] { try sync(database, homes.shared) }
  }

  /// What the second home would say if its tree were another.
  private func say(_ state: Bytes16?, clock: VectorClock? = nil, as name: String = "said") throws {
    let clock = try clock ?? second.clock()
    try say(state, clock: clock, counter: UInt64(Int64.max), of: second, home: second.homeToken, as: name)
  }

  private func say(
    _ state: Bytes16?, clock: VectorClock, counter: UInt64, of device: Database, home: Bytes16, as name: String
  ) throws {
    let word = Acknowledgement(
      peer: PeerIdentity(deviceKey: device.deviceKey, name: device.deviceName, homeToken: home), counter: counter,
      wallTime: 0, clock: clock, state: state)
    let file = word.sealed(try device.epochs().current, random: Sodium.randomBytes(32)) {
      device.sign(.acknowledge, $0)
    }
    try deliver(file, as: "\(hexadecimal(home.bytes))/\(name).ack", in: homes.shared)
  }

  private func alarms(_ report: SyncReport) -> [String] { report.notes.filter { $0.contains("do not hold the same") } }

  @Test func `equal clocks with unequal states are an alarm that names the device and what to do`() throws {
    #expect(try alarms(sync(first, homes.shared)).isEmpty)
    try say(Sodium.hash16([1]))
    let found = try alarms(sync(first, homes.shared))
    #expect(found.count == 1)
    #expect(found.first?.contains("ben (\(second.deviceKey.description.prefix(8)))") == true)
    #expect(found.first?.contains("verify --against") == true)
  }

  @Test func `other clocks, no state and the right one are none`() throws {
    try say(try stateHash(second))
    #expect(try alarms(sync(first, homes.shared)).isEmpty)
    try say(nil)
    #expect(try alarms(sync(first, homes.shared)).isEmpty)
    try say(Sodium.hash16([1]), clock: VectorClock([]))
    #expect(try alarms(sync(first, homes.shared)).isEmpty)
    try say(Sodium.hash16([1]))
    try post("more", on: first)
    #expect(try alarms(sync(first, homes.shared)).isEmpty)
  }

  @Test func `what a device said in a home of before its repair is no alarm, and what it says now is one`() throws {
    let (clock, wrong) = (try first.clock(), Sodium.hash16([1]))
    for (number, device) in [first, second].enumerated() {
      let home = Sodium.hash16([UInt8(number)])
      try say(wrong, clock: clock, counter: 1, of: device, home: home, as: "before")
    }
    for database in [first, second] { #expect(try alarms(sync(database, homes.shared)).isEmpty) }
    // Of the other device's homes the one counts that spoke last.
    try say(wrong, clock: clock, counter: UInt64(Int64.max), of: second, home: Sodium.hash16([1]), as: "now")
    #expect(try alarms(sync(first, homes.shared)).count == 1)
    #expect(try alarms(sync(second, homes.shared)).isEmpty, "of its own device's homes it hears elsewhere")
  }

  @Test func `who was removed alarms nobody`() throws {
    try first.removeMembers([second.deviceKey])
    try give(first, to: second)
    try say(Sodium.hash16([1]))
    #expect(try alarms(sync(first, homes.shared)).isEmpty)
  }

  @Test func `a state that is another for the same clock is said anew, and an equal one is not`() throws {
    let exchange = homes.exchange(second)
    for _ in 0..<2 { #expect(exchange.exchange().error == nil) }
    #expect(exchange.isQuiet)
    let said = try #require(exchange.index.acknowledgements[second.identity])
    #expect(try said.state == stateHash(second))
    let stated = try exchange.statement()
    exchange.stated = FolderExchange.Statement(clock: stated.clock, digest: stated.digest, state: Sodium.hash16([1]))
    #expect(exchange.exchange().error == nil)
    #expect(exchange.index.acknowledgements[second.identity]?.state == Sodium.hash16([1]))
    #expect(try alarms(sync(first, homes.shared)).count == 1)
  }

  @Test func `an acknowledgement of a newer version says update, and nothing else is touched`() throws {
    try say(Sodium.hash16([1]))
    let name = "\(homes.shared)/\(hexadecimal(second.homeToken.bytes))/said.ack"
    var file = try bytes(name)
    file[4] = 3
    try write(file, name)
    let report = try sync(first, homes.shared)
    #expect(report.refused.map(\.error.code) == [.unsupportedVersion])
    #expect("\(report.refused[0].error)".contains("Update"))
    #expect(alarms(report).isEmpty && FileSystem.exists(name))
    // A segment has no second version.
    let segment = try #require(try segments(below: homes.shared).first)
    file = try bytes("\(homes.shared)/\(segment)")
    file[4] = 2
    #expect(throws: TreeError.self) { try SealedOuter(decoding: file[...]) }
  }
}
