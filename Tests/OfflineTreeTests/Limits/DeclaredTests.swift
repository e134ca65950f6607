import TestSupport
import Testing

@testable import OfflineTree

/// Changes that declare more than they hold, or hold more than they may.
@Suite struct DeclaredTests {
  /// A change's bytes up to the count of its operations, which is left out.
  private static func start() -> [UInt8] {
    var bytes = Change(parents: [], stamp: Stamp(milliseconds: 1, counter: 0), wallTime: 1).body
    bytes.removeLast()
    return bytes
  }

  private static func code(_ bytes: [UInt8]) -> TreeError.Code? {
    do throws(TreeError) {
      _ = try Change.decode(bytes[...])
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `ten million declared operations are refused`() {
    var writer = ByteWriter()
    writer.varint(10_000_000)
    #expect(Self.code(Self.start() + writer.bytes) == .damaged)
    #expect(Self.code(Self.start() + writer.bytes + [UInt8](repeating: 0x20, count: 1_000)) == .damaged)
  }

  @Test func `operations beyond the limit are read and not kept, and make a change void`() throws {
    let count = Limits.changeOperations + 10_000
    var writer = ByteWriter(appendingTo: Self.start())
    writer.varint(count)
    // Each clears the root: two bytes.
    for _ in 0..<count { writer.append([0x20, 0]) }
    guard case .change(let change, let fault) = try Change.decode(writer.bytes[...]) else {
      Issue.record("it is not unknown")
      return
    }
    #expect(change.operations.count <= Limits.changeOperations)
    #expect(fault == "the change has \(count) operations")
  }

  @Test func `control operations beyond the limit are read and not kept, and make a change void`() throws {
    let count = Limits.changeControls + 1_000
    var writer = ByteWriter(appendingTo: Self.start())
    writer.varint(count)
    for number in 0..<count {
      writer.u8(ControlOperation.deviceName("").kind)
      writer.prefixed("name \(number)")
    }
    guard case .change(let change, let fault) = try Change.decode(writer.bytes[...]) else {
      Issue.record("it is not unknown")
      return
    }
    #expect(change.controls.count <= Limits.changeControls && fault != nil)
  }

  @Test func `a path of a thousand levels is refused from users, and void in a change`() throws {
    let text = Array(repeating: "a", count: 1_000).joined(separator: "/")
    #expect(throws: TreeError.self) { try Path(text) }
    let space = try ModelSpace(devices: ["a", "b"], addOnlySets: [], flags: [], seed: 3)
    var log = space.logs[1]
    let short = try log.write([.put(PathKey("n"), .int(1))], stamp: Stamp(milliseconds: 5_000, counter: 0))
    let raw = RawChange(
      stamp: Stamp(milliseconds: 6_000, counter: 0),
      rawOperations: [(kind: 0x21, body: RawChange.put(Array(text.utf8), .int(2)))])
    let long = try log.append(body: raw.body)
    #expect(long.fault != nil)
    let listener = try Listener(space)
    try listener.receive(space.introductions + [short])
    let reception = try listener.receive([long])
    #expect(reception.applied == 1 && reception.voids.count == 1)
    #expect(try listener.database.read { try $0.value(at: .root) } == Value(json: #"{"n": 1}"#))
    #expect(try listener.database.verify().problems.isEmpty)
  }
}
