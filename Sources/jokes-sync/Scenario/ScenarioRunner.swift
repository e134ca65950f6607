internal import OfflineTree

/// Runs one scenario on temporary devices.
struct ScenarioRunner {
  private let scenario: Scenario
  private let folder: TemporaryFolder
  private let exchange: ScenarioExchange
  private var random: SeededGenerator

  init(_ scenario: Scenario, seed: UInt64) throws(TreeError) {
    self.scenario = scenario
    folder = try TemporaryFolder(inMemory: true)
    exchange = ScenarioExchange(folder: folder.path)
    random = SeededGenerator(seed: seed)
  }

  /// What every device shows in the end, and where a refusal was not as expected.
  mutating func run() async throws -> (outcome: Document, problems: [String]) {
    var problems: [String] = []
    let crowd = try makeCrowd()
    let (devices, logs) = (crowd.map(\.device), crowd.map(\.log))
    defer { for device in devices { device.close() } }
    let before = try devices[0].database.clock().positions.map { ($0.log, $0.seq) }
    for (index, step) in scenario.steps.enumerated() {
      switch step {
      case .exchange(let from, let to):
        try await exchange.run(from: devices[from].database, to: devices[to].database, &random)
      case .end(let device, let time, let ended): try devices[device].end(logs[ended], at: time)
      case .write(let device, let time, let operations, let isRefused):
        let isDone = try devices[device].write(operations, at: time)
        if isDone == isRefused { problems.append("step \(index) was \(isDone ? "not refused" : "refused")") }
      }
      if random.oneIn(16) { try devices.randomElement(using: &random)?.reopen() }
    }
    let counts = Dictionary(before) { $1 }
    let names = Dictionary(uniqueKeysWithValues: zip(logs, scenario.devices).map { ($0, ($1, counts[$0] ?? 0)) })
    let outcomes = try zip(scenario.devices, devices).map { Document.Member($0, try $1.outcome(logs: names)) }
    return (.object(outcomes), problems)
  }

  private typealias Participant = (device: ScenarioDevice, log: LogID)

  /// Log ids sort as the devices are listed, and every introduction stands everywhere.
  private mutating func makeCrowd() throws -> [Participant] {
    let device = try ScenarioDevice(home: "\(folder.path)/0", founding: scenario)
    let founder: Participant = (device, log(of: device, random: .zero))
    let invite = try founder.device.database.invite()
    var others: [Participant] = []
    for index in 1..<max(1, scenario.devices.count) {
      others.append(try makeOther("\(folder.path)/\(index)", invite, above: founder.log))
    }
    others.sort { $0.log < $1.log }
    let hub = founder.device.database
    for (device, _) in others {
      // A newcomer introduces itself as soon as it knows the space.
      try exchange.deliver(from: hub, to: device.database)
      try exchange.deliver(from: device.database, to: hub)
    }
    for (device, _) in others { try exchange.deliver(from: hub, to: device.database) }
    return [founder] + others
  }

  /// The founder's id follows from the space, so the others draw until theirs are above it.
  private mutating func makeOther(_ home: String, _ invite: Invite, above first: LogID) throws -> Participant {
    var drawn = Bytes16.zero
    var generator = random
    let device = try ScenarioDevice(home: home, joiningBy: invite) { key in
      repeat {
        drawn = Bytes16((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
      } while Introduction.logID(space: invite.spaceID, deviceKey: key, random: drawn) <= first
      return drawn
    }
    random = generator
    return (device, log(of: device, random: drawn))
  }

  private func log(of device: ScenarioDevice, random: Bytes16) -> LogID {
    Introduction.logID(space: device.database.spaceID, deviceKey: device.database.deviceKey, random: random)
  }
}
