import OfflineTree
import TestSupport

/// Devices that write, invite, end, give and take roles, and copies and liars among them.
struct EndsHistory {
  /// A copy of a device, with what it knows and the log that it writes to.
  private struct Writer {
    let keys: TestDevice
    var device: ModelDevice
  }

  let space: ModelSpace
  private(set) var records: [Record]
  private var writers: [Writer]
  private var invites: [RawInvite]
  private var random: SeededRandom
  private var time: Int64 = 1_000

  init(seed: UInt64, count: Int) throws {
    random = SeededRandom(seed: seed)
    space = try ModelSpace(devices: ["a", "b", "c", "d"], membersMayInvite: random.chance(50), seed: seed)
    records = space.introductions
    let introductions = records
    writers = space.logs.map { Writer(keys: $0.device, device: ModelDevice($0, knowing: introductions)) }
    invites = [space.invite]
    if random.chance(70) {
      let owner = random.pick(writers.indices.filter { $0 != space.founder })
      try control(space.founder, [.grant(device: writers[owner].keys.key, .owner)])
      for index in writers.indices where random.chance(80) { writers[index].device.learn(records) }
    }
    while records.count < count { try step() }
  }

  private mutating func step() throws {
    time += random.pick([0, 1, 5])
    let index = Int.random(in: writers.indices, using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<36: records.append(try writers[index].device.append([operation()], at: time))
    case 36..<64: writers[index].device.learn(random.pick(writers).device.known)
    case 64..<84:
      let controls = (0..<random.pick([1, 1, 2])).map { _ in control() }
      try control(index, controls, random.chance(8) ? [operation()] : [], isRecovery: random.chance(4))
    case 84..<90: try join()
    case 90..<94: try beginLog(index)
    default: copy(index)
    }
  }

  private mutating func operation() -> Operation { random.operation(paths: ["n", "n", "n/x", "m", "k"]) }

  private mutating func control(
    _ index: Int, _ controls: [ControlOperation], _ operations: [Operation] = [], isRecovery: Bool = false
  ) throws {
    records.append(
      try writers[index].device.control(
        controls, isRecovery ? [] : operations, recovery: isRecovery ? space.recovery : nil, at: time))
  }

  private mutating func control() -> ControlOperation {
    let device = random.pick(writers).keys.key
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<2:
      let invite = RawInvite(seed: random.bytes(32), role: random.pick([.reader, .member, .member, .owner]))
      invites.append(invite)
      return invite.operation
    case 2..<4: return .grant(device: device, random.pick(Role.allCases))
    case 4: return .end(.log(random.pick(writers).device.log.id))
    case 5: return .end(.invite(random.pick(invites).publicKey))
    case 6: return .end(.role(device))
    case 7: return .deviceName(random.pick(["x", "y"]))
    default: return .end(.device(device))
    }
  }

  /// A newcomer that knows what somebody knows.
  private mutating func join() throws {
    if writers.count > 8 { return }
    let keys = TestDevice(seed: random.bytes(32))
    try begin(keys, knowing: random.pick(writers).device.known, by: random.pick(invites))
  }

  /// A further log of a device, which may know less than it did.
  private mutating func beginLog(_ index: Int) throws {
    let known = random.chance(60) ? writers[index].device.known : random.pick(writers).device.known
    try begin(writers[index].keys, knowing: known, by: random.chance(40) ? random.pick(invites) : nil)
  }

  private mutating func begin(_ keys: TestDevice, knowing known: [Record], by invite: RawInvite?) throws {
    let log = RawLog(space: space.id, device: keys, random: Bytes16(random.bytes(16)))
    var device = ModelDevice(log, knowing: known)
    let standing = invite?.standing(of: keys, space: space.id, random: log.random) ?? .open
    records.append(try device.introduce(standing, at: time))
    writers.append(Writer(keys: keys, device: device))
  }

  /// An earlier state of the device goes on beside it: its next change forks the log.
  private mutating func copy(_ index: Int) {
    if writers.count > 8 { return }
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
