import OfflineTree
import TestSupport
import Testing

/// Short stories of ends, delivered in every order that there is.
@Suite struct EndsStoryTests {
  @Test(arguments: EndsStory.all, Seeds.scaled(6))
  func `every order of arrival is one tree`(story: EndsStory, part: UInt64) throws {
    let told = try story.tell()
    var models: [UInt64: (Shown, Int)] = [:]
    let parts: UInt64 = story.isLong ? 36 : 6
    for (number, order) in told.records.indices.permutations().enumerated() where UInt64(number) % parts == part {
      let listener = try Listener(told.space)
      try listener.receive(told.beginning)
      var delivered: UInt64 = 0
      for index in order {
        try listener.receive([told.records[index]])
        delivered |= 1 << UInt64(index)
        let model = try models[delivered] ?? told.model(delivered)
        models[delivered] = model
        let shown = try Shown(listener.database, priorities: [])
        #expect(shown == model.0, "\(story.testDescription) \(order) after \(index)")
        #expect(try listener.database.read { try $0.status() }.voidCount == model.1, "\(order) after \(index)")
      }
      #expect(try listener.database.value(at: "n") == (told.count == 0 ? .null : .int(told.count)), "\(order)")
      #expect(try listener.database.verify().problems.isEmpty)
    }
  }
}

extension Database {
  func value(at path: String) throws -> Value { try read { try $0.value(at: PathKey(path).path) } }
}

extension Collection where Index == Int {
  /// Every order of the indices.
  func permutations() -> [[Int]] {
    var all: [[Int]] = [[]]
    for index in indices {
      all = all.flatMap { order in
        (0...order.count).map { place in Array(order[..<place]) + [index] + order[place...] }
      }
    }
    return all
  }
}

/// Changes by the founder F, an owner A and members B and C, and what counts of them in the end.
struct EndsStory: Sendable, CustomTestStringConvertible {
  struct Told {
    let space: ModelSpace
    /// What everybody has seen.
    let beginning: [Record]
    let records: [Record]
    /// What the counter "n" shows when all is here; nothing for 0.
    let count: Int64

    /// What is to be shown, and how many changes are void, when these were delivered; what lacks others waits.
    func model(_ delivered: UInt64) throws -> (Shown, Int) {
      let here = records.indices.filter { delivered >> UInt64($0) & 1 == 1 }.map { records[$0] }
      let history = try History(space: space.id, beginning + here)
      return (Shown(try ModelTree(history), priorities: []), history.voids.count { $0 != nil })
    }
  }

  let testDescription: String
  /// Has it so many orders that some do?
  let isLong: Bool
  private let count: Int64
  private let make: @Sendable (inout Writers) throws -> Void

  init(
    _ name: String, shows count: Int64, isLong: Bool = false, make: @escaping @Sendable (inout Writers) throws -> Void
  ) {
    (testDescription, self.count, self.isLong, self.make) = (name, count, isLong, make)
  }

  func tell() throws -> Told {
    var writers = try Writers()
    try make(&writers)
    return Told(space: writers.space, beginning: writers.beginning, records: writers.told, count: count)
  }

  enum Name: Int, CaseIterable { case founder, ownerA, memberB, memberC, newcomer }

  /// The devices as they go along.
  struct Writers {
    let space: ModelSpace
    let beginning: [Record]
    private(set) var told: [Record] = []
    private var devices: [Name: ModelDevice] = [:]
    private var time: Int64 = 1_000

    static let invite = RawInvite(seed: [UInt8](repeating: 77, count: 32))

    init() throws {
      let space = try ModelSpace(devices: ["f", "a", "b", "c"], membersMayInvite: true, seed: 5)
      let others = space.logs.indices.filter { $0 != space.founder }
      var founder = ModelDevice(space.logs[space.founder], knowing: space.introductions)
      let promotion = try founder.control([.grant(device: space.logs[others[0]].deviceKey, .owner)], at: 900)
      let beginning = space.introductions + [promotion]
      devices[.founder] = founder
      for (name, index) in zip([Name.ownerA, .memberB, .memberC], others) {
        devices[name] = ModelDevice(space.logs[index], knowing: beginning)
      }
      let newcomer = RawLog(space: space.id, device: TestDevice(99), random: .zero)
      devices[.newcomer] = ModelDevice(newcomer, knowing: beginning)
      (self.space, self.beginning) = (space, beginning)
    }

    func key(_ name: Name) -> Bytes32 { devices[name]?.log.deviceKey ?? .zero }

    func log(_ name: Name) -> LogID { devices[name]?.log.id ?? .zero }

    private mutating func tell(_ name: Name, _ act: (inout ModelDevice, Int64) throws -> Record) throws {
      time += 10
      guard var device = devices[name] else { return }
      told.append(try act(&device, time))
      devices[name] = device
    }

    /// Adds a number to "n", of which the digits tell who counted.
    mutating func write(_ name: Name, _ number: Int64) throws {
      try tell(name) { try $0.append([.increment("n", by: number)], at: $1) }
    }

    mutating func act(_ name: Name, _ controls: [ControlOperation], recovery: Bool = false) throws {
      let code = recovery ? space.recovery : nil
      try tell(name) { try $0.control(controls, recovery: code, at: $1) }
    }

    mutating func join(_ name: Name, by invite: RawInvite = Writers.invite) throws {
      let space = space.id
      try tell(name) { device, time in
        let log = device.log
        return try device.introduce(invite.standing(of: log.device, space: space, random: log.random), at: time)
      }
    }

    /// One hears of all that the other knows.
    mutating func hear(_ name: Name, from other: Name) {
      guard let known = devices[other]?.known else { return }
      devices[name]?.learn(known)
    }

    /// The device goes on as it was after so many of its changes, and knows what it did at the beginning.
    mutating func goBack(_ name: Name, to count: Int) {
      guard let device = devices[name] else { return }
      devices[name] = ModelDevice(device.log.prefix(count), knowing: beginning + device.log.records.prefix(count))
    }
  }

  static let all: [EndsStory] = [
    EndsStory("a removed device's changes before, beside and behind its end", shows: 1001) {
      try $0.write(.memberB, 1)
      $0.hear(.ownerA, from: .memberB)
      try $0.act(.ownerA, [.end(.device($0.key(.memberB)))])
      try $0.write(.memberB, 10)
      $0.hear(.memberC, from: .memberB)
      try $0.write(.memberC, 1_000)
      $0.hear(.memberB, from: .ownerA)
      try $0.write(.memberB, 100)
    },
    EndsStory("owner A removes B, B invites C, C writes, the founder ends A", shows: 11) {
      try $0.act(.ownerA, [.end(.device($0.key(.memberB)))])
      try $0.write(.memberB, 1)
      try $0.act(.memberB, [Writers.invite.operation])
      $0.hear(.newcomer, from: .memberB)
      try $0.join(.newcomer)
      try $0.write(.newcomer, 10)
      try $0.act(.founder, [.end(.device($0.key(.ownerA)))])
    },
    EndsStory("the same, but the founder had seen A's end", shows: 0, isLong: true) {
      try $0.act(.ownerA, [.end(.device($0.key(.memberB)))])
      $0.hear(.founder, from: .ownerA)
      try $0.write(.memberB, 1)
      try $0.act(.memberB, [Writers.invite.operation])
      $0.hear(.newcomer, from: .memberB)
      try $0.join(.newcomer)
      try $0.write(.newcomer, 10)
      try $0.act(.founder, [.end(.device($0.key(.ownerA)))])
    },
    EndsStory("a role is taken back, given again and taken back", shows: 101, isLong: true) {
      try $0.write(.memberB, 1)
      $0.hear(.founder, from: .memberB)
      try $0.act(.founder, [.end(.role($0.key(.memberB)))])
      try $0.write(.memberB, 10)
      try $0.act(.founder, [.grant(device: $0.key(.memberB), .member)])
      $0.hear(.memberB, from: .founder)
      try $0.write(.memberB, 100)
      $0.hear(.founder, from: .memberB)
      try $0.act(.founder, [.end(.role($0.key(.memberB)))])
    },
    EndsStory("the recovery code ends the founder, who ended B", shows: 11) {
      try $0.write(.memberB, 1)
      try $0.act(.founder, [.end(.device($0.key(.memberB)))])
      try $0.write(.founder, 100)
      try $0.act(
        .memberC, [.end(.device($0.key(.founder))), .grant(device: $0.key(.memberC), .owner)], recovery: true)
      try $0.write(.memberC, 10)
    },
    EndsStory("a log is ended, and a branch of it turns up", shows: 11) {
      try $0.write(.memberB, 1)
      try $0.write(.memberB, 10)
      $0.hear(.founder, from: .memberB)
      try $0.act(.founder, [.end(.log($0.log(.memberB)))])
      $0.goBack(.memberB, to: 1)
      try $0.write(.memberB, 100)
      try $0.write(.memberB, 1_000)
    },
    EndsStory("an invite is ended while somebody joins by it", shows: 100) {
      try $0.act(.ownerA, [Writers.invite.operation])
      $0.hear(.newcomer, from: .ownerA)
      try $0.act(.ownerA, [.end(.invite(Writers.invite.publicKey))])
      try $0.join(.newcomer)
      try $0.write(.newcomer, 1)
      $0.hear(.memberC, from: .newcomer)
      try $0.write(.memberC, 100)
    },
  ]
}
