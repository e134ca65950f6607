import OfflineTree
import TestSupport

extension World {
  /// One change of a device, and what was answered.
  func write(_ device: SimulatedDevice, _ step: Step) throws {
    let before = try device.database.writtenPosition()
    var joke: Key?
    do {
      if step.verb == .pushes {
        let (text, votes) = (NewValue(Scalar.string(step.word(0))), NewValue(Scalar.int(0)))
        let value = NewValue(members: [NewValue.Member(.of("text"), text), NewValue.Member(.of("votes"), votes)])
        joke = try device.database.write { try $0.push(value, to: PathKey("own").path) }
      } else {
        let action = try action(of: step, device)
        try device.database.write { try action.perform(in: $0) }
      }
    } catch let error as TreeError where error.code == .refused || error.code == .invalidArgument {
      return
    }
    // Only now it is answered: what is in the ledger from here on may not be lost.
    if let position = try device.database.writtenPosition(), position != before {
      let amount = step.verb == .increments ? Int64(step.number(0)) : 0
      ledger.answers.append(
        Ledger.Answer(
          person: device.person, device: device.name, position: position, amount: amount, joke: joke,
          text: step.word(0)))
    }
    try committed(device)
  }

  /// `increments N` counts at a path that nobody clears; the others take a path.
  private func action(of step: Step, _ device: SimulatedDevice) throws -> Action {
    let path = { (text: String) in PathKey(text).path }
    switch step.verb {
    case .increments: return .increment(path("tally/\(device.person)"), .int(Int64(step.number(0))))
    case .sets: return .set(path(step.word(0)), try JSON(parsing: step.word(1)).newValue())
    case .removes: return .remove(path(step.word(0)))
    case .adds: return .increment(path(step.word(0)), .int(Int64(step.number(1))))
    case .ranks: return .priority(path(step.word(0)), Int64(step.word(1)).map { .int($0) })
    default: return .vote(path(try place(step.word(0), device)), Key.of(step.word(1)), step.number(2))
    }
  }

  /// `joke N` as a path: the votes of the so manieth joke that the device knows.
  private func place(_ word: String, _ device: SimulatedDevice) throws -> String {
    guard word.hasPrefix("joke"), let number = Int(word.dropFirst(4)) else { return word }
    let keys = try device.database.read { try $0.keys(at: PathKey("own").path) }
    return keys.isEmpty ? "c" : "own/\(keys[number % keys.count].text)/votes"
  }

  func govern(_ device: SimulatedDevice, _ step: Step) throws {
    do {
      switch step.verb {
      case .rotates: try device.database.rotate()
      case .joins: try join(step.word(0))
      default:
        guard let other = self.device(step.word(0)), other.person != device.person else { return }
        if step.verb == .expels {
          try device.database.removeMembers([other.database.deviceKey])
          ledger.expelled.insert(other.person)
        } else if let log = try other.database.writtenPosition()?.log {
          try device.database.end(log: log)
          ledger.expelled.insert(other.person)
        }
        try excuseWhatIsGone()
      }
    } catch let error as TreeError
      where error.code == .refused || error.code == .notFound || error.code == .invalidArgument
    {
      return
    } catch let error as TreeError where step.verb == .rotates && error.code == .unavailable {
      // Who does not have the key of now, such as one who was expelled with it, makes no other.
      return
    }
    try committed(device)
  }

  /// A new device comes by the invite; it knows nothing yet.
  private func join(_ name: String) throws {
    guard device(name) == nil, devices.count < 16 else { return }
    let home = "\(homes.folder.path)/\(name)"
    try HomeFiles.remove(home)
    let clock = SimulatedClock(wall: devices[0].clock.wall, seed: UInt64(2_000 + devices.count))
    devices.append(
      try SimulatedDevice(name, person: name, home: home, clock: clock, files: SimulatedFiles()) { [homes] in
        try Database.join(at: home, invite: homes.invite, deviceName: name, environment: $0, options: $1)
      })
    try devices.last?.database.setHistoryBlock(Homes.block)
    clock.pass(milliseconds: Int64((devices[0].clock.monotonic - clock.monotonic) / 1_000_000))
  }
}
