import OfflineTree
import Replicator
import TestSupport

/// A member with a changed program: its changes are written by hand, and nothing keeps it from lying.
final class Liar {
  let name: String
  private var log: RawLog
  /// Changes that do not stand on the log's tip.
  private var loose: [Record] = []
  private let token: Bytes16
  private var time = UInt64(Homes.start) + 1_000

  init(_ name: String, in world: World) throws {
    self.name = name
    let invite = world.homes.invite
    let device = TestDevice(seed: Array(name.utf8))
    token = Sodium.hash16(Array(name.utf8))
    log = RawLog(space: invite.spaceID, device: device, random: token)
    let message = Introduction.joinMessage(
      space: invite.spaceID, deviceKey: device.key, boxKey: device.boxKey, random: token)
    let registration = invite.registration
    try log.introduce(
      name: name, standing: .join(invite: invite.publicKey, invite.sign(message)),
      parents: [Change.Parent(log: registration.log, seq: registration.seq, hash: registration.hash)],
      stamp: .at(time))
  }

  private var records: [Record] { log.records + loose }

  /// `dora lies KIND N`, `dora tells ben [LEFT OUT]`, `dora plants ben`.
  func take(_ step: Step, in world: World) throws {
    switch step.verb {
    case .lies: try lie(step, world)
    case .tells:
      guard let device = world.device(step.word(0)) else { return }
      try tell(device, leavingOut: step.number(1))
      try world.committed(device)
    case .plants:
      if let device = world.device(step.word(0)) { try plant(device) }
    default: break
    }
  }

  /// - Parameter number: Each so manieth change is left out.
  func tell(_ device: SimulatedDevice, leavingOut number: Int = 0) throws {
    let told = records.enumerated().filter { number < 2 || $0.offset % number != 1 }.map(\.element.run)
    for run in number.isMultiple(of: 2) ? told : told.reversed() {
      _ = try device.database.receive([run], keepBlocked: true)
    }
  }

  /// A file in the shared folder.
  private func plant(_ device: SimulatedDevice) throws {
    let keys = try device.database.epochs().current
    for record in records {
      let file = try SealedSegment.seal(record.run, keys, random: record.hash.bytes)
      device.files.put("\(hexadecimal(token.bytes))/\(hexadecimal(record.hash.bytes.prefix(16))).seg", file)
    }
  }

  private func lie(_ step: Step, _ world: World) throws {
    time += 1_000
    let number = step.number(1)
    switch step.word(0) {
    case "clears": try log.write([.clear(["lie", "a", "b", "c"][number % 4])], stamp: .at(time))
    case "low":
      if let seen = try seen(number, world) { try log.write([.put("lie", 1)], seeing: [seen], stamp: .at(1)) }
    case "high": try log.write([.put("lie", 2)], stamp: .at(time + (1 << 33)))
    case "sees":
      guard let seen = try seen(number, world) else { return }
      time = max(time, seen.change?.stamp.milliseconds ?? 0) + 1
      try log.write([.clear("a"), .increment("lie/n", by: 1)], seeing: [seen], stamp: .at(time))
    case "deaf":
      world.ledger.waitsForEver = true
      try log.append(
        Change(
          parents: [Change.Parent(log: Bytes16(repeatElement(9, count: 16)), seq: 3, hash: .zero)], stamp: .at(time),
          wallTime: 0, operations: [.put("lie", 3)]))
    case "strange":
      world.ledger.waitsForEver = true
      try log.append(body: RawChange(stamp: .at(time), rawOperations: [(kind: 0x7F, body: [1])]).body)
    case "disorders":
      try log.append(body: RawChange(stamp: .at(time), operations: [.put("lie", 4), .clear("c")]).body)
    case "forks":
      var other = log
      loose.append(try other.write([.increment("lie/n", by: 10)], stamp: .at(time)))
      try log.write([.increment("lie/n", by: 100), .put("a", 7)], stamp: .at(time))
    case "meddles":
      let joke = world.ledger.answers.compactMap(\.joke).last?.text ?? "free"
      try log.write([.put("own/\(joke)/text", .string("mine"))], stamp: .at(time))
    case "floods":
      for _ in 0..<number % 40 {
        time += 1
        try log.write([.put("lie/f", .string(String(repeating: "f", count: 200)))], stamp: .at(time))
      }
    default: try log.write([.put("lie", .int(Int64(number))), .increment("a", by: 1)], stamp: .at(time))
    }
  }

  /// The last change of a device, as what was seen.
  private func seen(_ number: Int, _ world: World) throws -> Record? {
    let database = world.devices[number % world.devices.count].database
    guard let position = try database.writtenPosition() else { return nil }
    let run = try database.run(endingAt: position, from: position.seq, maximumBytes: 1)
    return try run?.records().first
  }
}
