import OfflineTree
import TestSupport

/// A history in which everybody does everything, and some pretend not to have seen what they saw.
struct RandomControls {
  private(set) var history: ControlHistory
  private var random: SeededRandom
  /// What each device has heard of.
  private var known: [BitSet]
  private var invites = 0

  private static let devices = 6

  init(seed: UInt64, count: Int) throws {
    random = SeededRandom(seed: seed)
    history = try ControlHistory(founder: ControlHistory.device(0), membersMayInvite: random.chance(50))
    known = Array(repeating: BitSet(), count: RandomControls.devices)
    hear(0, history.closure(0))
    if random.chance(75) { settle() }
    while history.changes.count < count { step() }
  }

  /// A space as it is meant: everybody came by an invite of the founder's, and some are owners.
  private mutating func settle() {
    let roles: [Role] = [.member, .owner, .reader]
    let registration = history.append(
      0,
      roles.indices.map {
        .invite(ControlOperation.InviteTerms(publicKey: ControlHistory.invite($0), role: roles[$0]))
      })
    invites = roles.count
    for device in 1..<RandomControls.devices {
      let invite = ControlHistory.invite(random.pick([0, 0, 1, 2]))
      history.introduce(
        ControlHistory.device(device), ControlHistory.join(invite), seeing: history.closure(registration))
    }
    let last = history.append(
      0, [.grant(device: ControlHistory.device(1), .owner), .grant(device: ControlHistory.device(2), .owner)],
      seeing: history.closure(Array(history.changes.indices)))
    for device in known.indices { hear(device, history.closure(random.chance(80) ? last : registration)) }
  }

  private mutating func hear(_ device: Int, _ changes: BitSet) { known[device].formUnion(changes) }

  private mutating func step() {
    let device = Int.random(in: 0..<RandomControls.devices, using: &random)
    let own = history.segments.indices.filter { history.segments[$0].device == ControlHistory.device(device) }
    if random.chance(35) || own.isEmpty && random.chance(50) {
      hear(device, history.closure(random.pick(Array(history.changes.indices))))
    } else if own.isEmpty || random.chance(12) {
      introduce(device)
    } else {
      act(device, own)
    }
  }

  private mutating func introduce(_ device: Int) {
    let standing =
      random.chance(70) && invites > 0
      ? ControlHistory.join(ControlHistory.invite(Int.random(in: 0..<invites, using: &random))) : .open
    let index = history.introduce(
      ControlHistory.device(device), standing, seeing: random.chance(80) ? known[device] : somePast(),
      isVoidByForm: random.chance(3))
    hear(device, history.closure(index))
  }

  /// What some changes had seen, and they.
  private mutating func somePast() -> BitSet {
    let count = Int.random(in: 0..<3, using: &random)
    return history.closure((0..<count).map { _ in random.pick(Array(history.changes.indices)) })
  }

  private mutating func act(_ device: Int, _ own: [Int]) {
    var segment = random.pick(own)
    if random.chance(10) {
      let mine = history.changes.indices.filter { history.changes[$0].device == ControlHistory.device(device) }
      segment = history.fork(behind: random.pick(mine))
    }
    // A liar may leave out what it has seen, but for the change before.
    let past = random.chance(70) ? known[device] : somePast()
    var controls: [ControlOperation] = []
    if random.chance(70) {
      for _ in 0..<random.pick([1, 1, 1, 2, 3]) { controls.append(operation()) }
      if case .grant(let device, _)? = controls.last, random.chance(30) { controls.append(.end(.role(device))) }
    }
    let index = history.append(
      segment, controls, writes: controls.isEmpty || random.chance(10),
      isRecovery: !controls.isEmpty && random.chance(4), isVoidByForm: random.chance(4), seeing: past)
    hear(device, history.closure(index))
  }

  private mutating func operation() -> ControlOperation {
    let device = ControlHistory.device(Int.random(in: 0..<RandomControls.devices, using: &random))
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<3:
      let isNew = invites == 0 || random.chance(70)
      let number = isNew ? invites : Int.random(in: 0..<invites, using: &random)
      if isNew { invites += 1 }
      return .invite(
        ControlOperation.InviteTerms(
          publicKey: ControlHistory.invite(number), role: random.pick([.reader, .member, .member, .owner])))
    case 3..<5: return .grant(device: device, random.pick(Role.allCases))
    case 5..<10: return .end(subject(device))
    case 10: return .rotate(rotation())
    default: return random.chance(50) ? .deviceName("d") : .keep(random.chance(50))
    }
  }

  private mutating func subject(_ device: Bytes32) -> ControlOperation.Subject {
    switch Int.random(in: 0..<8, using: &random) {
    case 0..<3: .device(device)
    case 3: .log(random.pick(history.segments).log)
    case 4..<6 where invites > 0: .invite(ControlHistory.invite(Int.random(in: 0..<invites, using: &random)))
    default: .role(device)
    }
  }

  private mutating func rotation() -> ControlOperation.Rotation {
    ControlOperation.Rotation(
      epoch: EpochID(random.bytes(16)), parents: [.zero],
      lockbox: [UInt8](repeating: 0, count: ControlOperation.Lockbox.byteCount(keys: 1)), boxes: [])
  }
}
