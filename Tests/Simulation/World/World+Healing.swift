import OfflineTree
import Replicator

extension World {
  private static let rounds = 12

  /// Everybody who may take part meets everybody, until all have the same.
  func heal() throws {
    for link in links { for end in link.ends where end.end == nil { try end.disconnect() } }
    links = []
    for liar in liars { for device in devices { try liar.tell(device) } }
    for round in 0..<Self.rounds {
      for device in devices { device.clock.pass(milliseconds: 660_000) }
      switch story.healing {
      case .links: try healByLinks(round)
      case .folder: try healByFolder()
      }
      if try isEqual() { return }
    }
    let clocks = try participants().map { device in
      "\(device.name): \(try device.database.clock().positions.map { "\($0.log.description.prefix(6)) \($0.seq)" })"
    }
    throw Violation(law: "all come to have the same", details: clocks.joined(separator: "\n"))
  }

  /// Those whom the first device knows as members, and those who would be if it knew of them.
  func participants() throws -> [SimulatedDevice] {
    let first = devices[0].database
    return try devices.filter { device in
      switch try first.standing(of: device.database.deviceKey) {
      case .member: return true
      case .ended: return false
      case .unknown:
        return try device.database.claim().map { try first.admits($0) == device.database.deviceKey } ?? false
      }
    }
  }

  private func isEqual() throws -> Bool {
    let clock = try devices[0].database.clock()
    return try participants().allSatisfy { try $0.database.clock() == clock }
  }

  /// Each time another one is in the middle: what one has dropped another may have.
  private func healByLinks(_ round: Int) throws {
    let members = try participants()
    let hub = members[round % members.count]
    for device in members where device !== hub {
      guard let link = try open(device, hub, isOnce: true) else { continue }
      if try !link.settle() {
        throw Violation(law: "an exchange ends", details: "\(device.name) and \(hub.name)")
      }
      links.removeAll { $0 === link }
      if let refusal = link.ends.flatMap(\.refusals).first, liars.isEmpty {
        throw Violation(law: "what honest devices send is taken", details: "\(refusal.name): \(refusal.error)")
      }
    }
  }

  private func healByFolder() throws {
    let members = try participants()
    for device in members { try exchange(device, nil, 0) }
    for device in members { for other in members where other !== device { carry(from: other, to: device, .max, nil) } }
  }
}
