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
    let (devices, names) = try await makeDevices()
    defer { for device in devices { device.close() } }
    for (index, step) in scenario.steps.enumerated() {
      switch step {
      case .exchange(let from, let to):
        try await exchange.run(from: devices[from].database, to: devices[to].database, &random)
      case .write(let device, let time, let operations, let isRefused):
        let isDone = try devices[device].write(operations, at: time)
        if isDone == isRefused { problems.append("step \(index) was \(isDone ? "not refused" : "refused")") }
      }
      if random.oneIn(16) { try devices.randomElement(using: &random)?.reopen() }
    }
    let outcomes = try zip(scenario.devices, devices).map {
      Document.Member($0, try $1.outcome(names: names))
    }
    return (.object(outcomes), problems)
  }

  /// Log ids sort as the devices are listed, and every introduction stands everywhere.
  private mutating func makeDevices() async throws -> ([ScenarioDevice], names: [LogID: String]) {
    let founder = try ScenarioDevice(home: "\(folder.path)/0", founding: scenario)
    let space = founder.database.spaceID
    let first = Introduction.logID(space: space, deviceKey: founder.database.deviceKey, random: .zero)
    var others: [(device: ScenarioDevice, log: LogID, random: Bytes16)] = []
    for index in 1..<max(1, scenario.devices.count) {
      let device = try ScenarioDevice(home: "\(folder.path)/\(index)", joining: space)
      let (log, bytes) = draw(space, device.database.deviceKey, above: first)
      others.append((device, log, bytes))
    }
    others.sort { $0.log < $1.log }
    for other in others {
      try exchange.deliver(from: founder.database, to: other.device.database)
      try other.device.database.introduce(random: other.random)
      try exchange.deliver(from: other.device.database, to: founder.database)
    }
    for other in others { try exchange.deliver(from: founder.database, to: other.device.database) }
    let logs = [first] + others.map(\.log)
    return ([founder] + others.map(\.device), Dictionary(uniqueKeysWithValues: zip(logs, scenario.devices)))
  }

  /// The founder's id follows from the space, so the others draw until theirs are above it.
  private mutating func draw(_ space: SpaceID, _ key: Bytes32, above first: LogID) -> (LogID, Bytes16) {
    while true {
      let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
      let log = Introduction.logID(space: space, deviceKey: key, random: Bytes16(bytes))
      if first < log { return (log, Bytes16(bytes)) }
    }
  }
}
