import TestSupport
import Testing

@testable import OfflineTree

/// A member that acts with its own small authority without end.
@Suite struct ControlFloodTests {
  private static let count = 2_000

  enum Flood: CaseIterable {
    case names, deliveries, ends

    func operations(_ number: Int, by device: Bytes32) -> [ControlOperation] {
      switch self {
      case .names: return [.deviceName("name \(number)")]
      case .deliveries:
        let box = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: ControlOperation.SealedKey.boxBytes)
        return [.deliver(Bytes16(repeatElement(7, count: 16)), [ControlOperation.SealedKey(device: device, box: box)])]
      case .ends: return [.end(.role(device))]
      }
    }
  }

  @Test(arguments: Flood.allCases)
  func `acts without end are taken, and nothing else changes`(flood: Flood) throws {
    let space = try ModelSpace(devices: ["a", "b", "c"], addOnlySets: [], flags: [], seed: 5)
    let others = space.logs.indices.filter { $0 != space.founder }
    let (log, peer) = (space.logs[others[0]], space.logs[others[1]])
    let bodies = (0..<Self.count).map { number in
      Change(
        parents: [], stamp: Stamp(milliseconds: 20_000 + UInt64(number), counter: 0), wallTime: 0,
        controls: flood.operations(number, by: log.deviceKey)
      ).body
    }
    let listener = try Listener(space, isMember: true)
    try listener.receive(space.introductions)
    #expect(try listener.receive([log.run(of: bodies)]).applied == Self.count)
    var honest = peer
    let record = try honest.write([.put(PathKey("n"), .int(1))], stamp: Stamp(milliseconds: 5_000, counter: 0))
    let reception = try listener.receive([record])
    #expect(reception.applied == 1 && reception.voids.isEmpty)
    try listener.database.write { try $0.setValue(2, at: try Path("m")) }
    #expect(try listener.database.read { try $0.value(at: .root) } == Value(json: #"{"m": 2, "n": 1}"#))
    try listener.database.submit { _, state in #expect(state.authority.ends.count <= 1) }
    #expect(try listener.database.verify().problems.isEmpty)
  }
}
