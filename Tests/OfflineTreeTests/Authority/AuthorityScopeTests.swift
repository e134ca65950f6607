import OfflineTree
import TestSupport
import Testing

/// Every two and three acts, by whom and against whom they may be, in every way in which one saw the other.
@Suite struct AuthorityScopeTests {
  private struct Act: Sendable {
    let device: Int
    let operation: ControlOperation
    var isRecovery = false
  }

  private static let invite = ControlHistory.invite(5)

  /// Device 0 made the space, 1 and 2 are owners, 3 is a member.
  private static let devices = (0..<4).map(ControlHistory.device)

  private static let all: [Act] = {
    var operations: [ControlOperation] = devices.map { .end(.device($0)) } + devices[1...].map { .end(.role($0)) }
    operations += [
      .grant(device: devices[3], .owner), .grant(device: devices[1], .member), .grant(device: devices[3], .reader),
      .end(.invite(ControlHistory.invite(0))), .end(.invite(ControlHistory.invite(1))), .register(invite),
    ]
    var acts = devices.indices.flatMap { device in operations.map { Act(device: device, operation: $0) } }
    acts += operations.map { Act(device: 3, operation: $0, isRecovery: true) }
    return acts
  }()

  private static let some = [
    Act(device: 0, operation: .end(.device(devices[1]))),
    Act(device: 0, operation: .end(.role(devices[1]))),
    Act(device: 0, operation: .grant(device: devices[3], .owner)),
    Act(device: 1, operation: .end(.device(devices[3]))),
    Act(device: 1, operation: .end(.role(devices[3]))),
    Act(device: 1, operation: .end(.invite(ControlHistory.invite(0)))),
    Act(device: 1, operation: .end(.device(devices[1]))),
    Act(device: 3, operation: .register(invite)),
    Act(device: 3, operation: .end(.role(devices[3]))),
    Act(device: 3, operation: .end(.device(devices[0])), isRecovery: true),
  ]

  private static let blocks: UInt64 = 40

  @Test(arguments: Seeds.scaled(Int(blocks)))
  func `any two acts`(block: UInt64) throws {
    var number: UInt64 = 0
    for (place, first) in AuthorityScopeTests.all.enumerated() {
      for (other, second) in AuthorityScopeTests.all.enumerated() {
        // Two that did not see each other are the same pair either way.
        for isSeen in other < place ? [true] : [false, true] {
          number += 1
          if number % AuthorityScopeTests.blocks != block { continue }
          try check([first, second], seeing: [[], isSeen ? [0] : []], number)
        }
      }
    }
  }

  @Test(arguments: Seeds.scaled(Int(blocks)))
  func `any three acts`(block: UInt64) throws {
    let seen: [[[Int]]] = [
      [[], [], []], [[], [0], []], [[], [], [0]], [[], [], [1]], [[], [0], [0]], [[], [], [0, 1]], [[], [0], [0, 1]],
    ]
    var number: UInt64 = 0
    for first in AuthorityScopeTests.some {
      for second in AuthorityScopeTests.some {
        for third in AuthorityScopeTests.some {
          for seeing in seen {
            number += 1
            if number % AuthorityScopeTests.blocks != block { continue }
            try check([first, second, third], seeing: seeing, number)
          }
        }
      }
    }
  }

  private func check(_ acts: [Act], seeing: [[Int]], _ number: UInt64) throws {
    let history = try history(of: acts, seeing: seeing)
    var random = SeededRandom(seed: number)
    let order = history.causalOrder(&random)
    var replica = ControlReplica(history)
    for index in order { replica.add(index) }
    let differences = replica.differences()
    #expect(differences.isEmpty, "\(acts), who saw whom \(seeing), in the order \(order): \(differences)")
  }

  /// The acts, each on a branch of its device's log; and of each device a write that saw none of them, in which a
  /// newcomer is invited as well if the device is no owner.
  private func history(of acts: [Act], seeing: [[Int]]) throws -> ControlHistory {
    let devices = AuthorityScopeTests.devices
    var history = try ControlHistory(founder: devices[0], membersMayInvite: true)
    let registration = history.append(
      0, [.register(ControlHistory.invite(0)), .register(ControlHistory.invite(1), .owner)])
    for device in devices[1...] {
      let invite = ControlHistory.invite(device == devices[3] ? 0 : 1)
      history.introduce(device, ControlHistory.join(invite), seeing: history.closure(registration))
    }
    let base = Array(history.changes.indices)
    func branch(_ device: Int) -> Int {
      history.fork(behind: device == 0 ? registration : registration + device)
    }
    var made: [Int] = []
    for (act, seen) in zip(acts, seeing) {
      let tip = seen.last { acts[$0].device == act.device }.map { made[$0] }
      let segment = tip.map { history.fork(behind: $0) } ?? branch(act.device)
      made.append(
        history.append(
          segment, [act.operation], isRecovery: act.isRecovery, seeing: history.closure(base + seen.map { made[$0] })))
    }
    for device in 1..<4 {
      let write = history.append(branch(device), [.deviceName("d")], writes: true, seeing: history.closure(base))
      if device == 3 {
        let registration = history.append(
          history.places[write].segment, [.register(ControlHistory.invite(6))])
        history.introduce(
          ControlHistory.device(7), ControlHistory.join(ControlHistory.invite(6)),
          seeing: history.closure(registration))
      }
    }
    return history
  }
}
