import OfflineTree
import TestSupport

/// A space as it is meant: the founder's device made it, A and B are owners, M and N members, one reads; all came by
/// invites of the founder, and everybody knows all of that.
struct AuthoritySpace {
  enum Device: Int, CaseIterable {
    case founder, ownerA, ownerB, memberM, memberN, reader

    var key: Bytes32 { ControlHistory.device(rawValue) }
  }

  private(set) var history: ControlHistory
  /// The last change of the beginning.
  let beginning: Int
  private var segments: [Device: Int] = [.founder: 0]

  static let memberInvite = ControlHistory.invite(0)
  static let readerInvite = ControlHistory.invite(1)

  init(membersMayInvite: Bool = false) throws {
    history = try ControlHistory(founder: Device.founder.key, membersMayInvite: membersMayInvite)
    let registration = history.append(
      0, [.register(AuthoritySpace.memberInvite), .register(AuthoritySpace.readerInvite, .reader)])
    for device in Device.allCases where device != .founder {
      let invite = device == .reader ? AuthoritySpace.readerInvite : AuthoritySpace.memberInvite
      history.introduce(device.key, ControlHistory.join(invite), seeing: history.closure(registration))
      segments[device] = history.segments.count - 1
    }
    beginning = history.append(
      0, [.grant(device: Device.ownerA.key, .owner), .grant(device: Device.ownerB.key, .owner)],
      seeing: history.closure(Array(history.changes.indices)))
  }

  func log(_ device: Device) -> LogID { history.segments[segments[device] ?? 0].log }

  /// A change by a device that had seen the beginning, these changes, and nothing else: on a branch of its own, so that
  /// it can leave out what the device itself did.
  @discardableResult
  mutating func act(
    _ device: Device, _ controls: [ControlOperation], seeing parents: [Int] = [], writes: Bool = false,
    isRecovery: Bool = false
  ) -> Int {
    let tip = history.changes.indices.last { index in
      let isOwn = history.changes[index].device == device.key
      return isOwn && (parents + [beginning]).contains { $0 == index || history.changes[$0].past.contains(index) }
    }
    let segment = history.fork(behind: tip ?? 0)
    return history.append(
      segment, controls, writes: writes, isRecovery: isRecovery, seeing: history.closure([beginning] + parents))
  }

  /// A change by a device that claims to have seen nothing but that it was invited, or, what is more, one of its own.
  @discardableResult
  mutating func actBlindly(
    _ device: Device, _ controls: [ControlOperation], behind index: Int? = nil, seeing parents: [Int] = []
  ) -> Int {
    let start = index ?? history.changes.indices.first { history.changes[$0].device == device.key } ?? 0
    return history.append(history.fork(behind: start), controls, seeing: history.closure(parents))
  }

  /// A change of the tree.
  @discardableResult
  mutating func write(_ device: Device, seeing parents: [Int] = []) -> Int {
    act(device, [], seeing: parents, writes: true)
  }

  /// A new device's or a removed device's first log.
  @discardableResult
  mutating func join(_ key: Bytes32, _ invite: Bytes32, seeing parents: [Int]) -> Int {
    history.introduce(key, ControlHistory.join(invite), seeing: history.closure(parents))
  }

  /// A further log of a device.
  @discardableResult
  mutating func introduce(_ device: Device, seeing parents: [Int]) -> Int {
    history.introduce(device.key, .open, seeing: history.closure(parents))
  }

  @discardableResult
  mutating func act(on segment: Int, _ controls: [ControlOperation]) -> Int { history.append(segment, controls) }

  /// A write right behind a change of the same log.
  @discardableResult
  mutating func goOn(behind index: Int, seeing parents: [Int] = []) -> Int {
    history.append(history.places[index].segment, [], writes: true, seeing: history.closure(parents))
  }

  /// What stands of some changes when all is known: by the model and, in several orders, by `Authority`.
  func void(_ changes: [Int], orders: Int = 6) -> [Set<Int>] {
    var random = SeededRandom(seed: UInt64(history.changes.count))
    let model = history.model(history.changes.indices)
    var results = [Set(changes.filter { model.verdicts[$0] != nil })]
    for _ in 0..<orders {
      var replica = ControlReplica(history)
      for index in history.causalOrder(&random) { replica.add(index) }
      results.append(Set(changes.filter { replica.fault($0) != nil }))
    }
    return results
  }
}

extension ControlOperation {
  static func register(_ invite: Bytes32, _ role: Role = .member) -> ControlOperation {
    .invite(InviteTerms(publicKey: invite, role: role))
  }

  static func remove(_ device: AuthoritySpace.Device) -> ControlOperation { .end(.device(device.key)) }

  static func demote(_ device: AuthoritySpace.Device) -> ControlOperation { .end(.role(device.key)) }

  static func grant(_ role: Role, _ device: AuthoritySpace.Device) -> ControlOperation {
    .grant(device: device.key, role)
  }
}
