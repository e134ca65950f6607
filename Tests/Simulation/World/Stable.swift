import OfflineTree
import TestSupport

/// Homes that are used again by one history after another. One thread at a time uses a stable.
package final class Stable {
  /// Few histories have many devices, and each costs the others something.
  private let few: Homes
  private let many: Homes

  package init() throws {
    few = try Homes(4)
    many = try Homes(8)
  }

  func homes(for story: Story) -> Homes { story.devices.count <= few.count ? few : many }
}

/// The homes of devices of one space that have met.
final class Homes {
  static let block: UInt64 = 2
  static let start: Int64 = 1_700_000_000_000
  static let sets = ["own": Genesis.AddOnlySet.Keys.own, "open": .open]

  let count: Int
  let folder: TemporaryFolder
  let invite: Invite
  let recovery: RecoveryCode
  /// By home: its files when all had met.
  private var files: [String: [String: [UInt8]]] = [:]

  init(_ count: Int) throws {
    self.count = count
    folder = try TemporaryFolder()
    let clocks = (0..<count).map { SimulatedClock(wall: Self.start, seed: UInt64($0)) }
    let environments = clocks.map { $0.environment(SimulatedFiles()) }
    recovery = RecoveryCode(environment: environments[0])
    let options = Database.Options(durability: .unsafeNoSync)
    let founder = try Database.create(
      at: "\(folder.path)/0", space: "simulated",
      addOnlySets: try Self.sets.sorted { $0.key < $1.key }.map {
        Genesis.AddOnlySet(path: try Path($0.key), keys: $0.value)
      }, flags: Fleet.flags, recovery: recovery, deviceName: "0", environment: environments[0], options: options)
    invite = try founder.invite()
    var members = [founder]
    for index in 1..<count {
      members.append(
        try Database.join(
          at: "\(folder.path)/\(index)", invite: invite, deviceName: "\(index)", environment: environments[index],
          options: options))
    }
    var random = SeededRandom(seed: 0)
    for _ in 0..<2 {
      for member in members.dropFirst() {
        try Fleet.send(from: founder, to: member, Fleet.Manner(), &random)
        try Fleet.send(from: member, to: founder, Fleet.Manner(), &random)
      }
    }
    for (index, member) in members.enumerated() {
      // Small blocks, so that short histories have some to drop. The founder keeps all.
      try member.setHistoryBlock(Self.block)
      if index > 0 { try member.setHistoryRetention(.little) }
      member.close()
      files[home(index)] = [:]
    }
    members = []
    for index in 0..<count { files[home(index)] = try HomeFiles.read(home(index)) }
  }

  func home(_ index: Int) -> String { "\(folder.path)/\(index)" }

  /// Puts a home back to when all had met.
  func reset(_ index: Int) throws -> String {
    try HomeFiles.putBack(home(index))
    for name in ["checkpoint", "checkpoint.new"] { try FileSystem.remove("\(home(index))/\(name)") }
    try HomeFiles.overwrite(home(index), with: files[home(index)] ?? [:])
    return home(index)
  }
}
