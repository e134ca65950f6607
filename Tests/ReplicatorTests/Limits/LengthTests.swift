import OfflineTree
import Testing

@testable import Replicator

/// Lengths of 4 GB, in everything that comes from outside: nothing is allocated for them.
@Suite struct LengthTests {
  private static let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]

  private static func error(_ body: () throws(TreeError) -> Void) -> TreeError.Code? {
    do throws(TreeError) {
      try body()
      return nil
    } catch {
      return error.code
    }
  }

  @Test(arguments: MessageKind.allCases)
  func `a frame of 4 GB is refused before a byte of it is kept`(kind: MessageKind) {
    var decoder = FrameDecoder()
    let bytes = Self.huge + [kind.rawValue] + [UInt8](repeating: 0, count: 100_000)
    #expect(Self.error { () throws(TreeError) in try decoder.received(bytes[...]) { _ in } } == .damaged)
    #expect(decoder.heldBytes <= 5)
  }

  @Test func `a proof of 4 GB is refused before a byte of it is kept`() {
    var decoder = ProofDecoder(expecting: .client)
    let bytes = Self.huge + [ProofRole.client.rawValue, 1, 2, 3]
    #expect(Self.error { () throws(TreeError) in _ = try decoder.received(bytes[...]) } == .damaged)
    #expect(decoder.rest.isEmpty)
  }

  /// The plain header's fields stand at these bytes: docs/format.md.
  @Test(arguments: [152, 156])
  func `a segment of 4 GB or as many changes is refused`(offset: Int) throws {
    let run = ChangeRun(
      log: .zero, first: 1, hashBefore: .zero, bodies: [[1, 2, 3]], signature: TestKeys.signature)
    var bytes = try Segment.encode(run, space: TestKeys.space)
    bytes.replaceSubrange(offset..<(offset + 4), with: Self.huge)
    // As many as it says.
    if offset == 152 { bytes.replaceSubrange(80..<88, with: Self.huge + [0, 0, 0, 0]) }
    bytes.replaceSubrange(226..<242, with: Sodium.hash16(Array(bytes[..<226])).bytes)
    let code = Self.error { () throws(TreeError) in _ = try Segment(decoding: bytes, space: TestKeys.space) }
    #expect(code == .limitExceeded)
  }

  @Test(arguments: [1, 2] as [UInt8])
  func `a sealed file of 4 GB is refused`(kind: UInt8) {
    let keys = TestKeys.epoch()
    let outer =
      Array("OTSG".utf8) + [1, 1, kind, 0] + keys.id.bytes + [UInt8](repeating: 3, count: 24) + Self.huge
      + [0, 0, 0, 0] + [UInt8](repeating: 0, count: 8 + 1_000)
    let code = Self.error { () throws(TreeError) in
      if kind == 1 {
        _ = try SealedSegment(opening: outer, known: TestKeys.known(keys))
      } else {
        _ = try Acknowledgement(opening: outer, known: TestKeys.known(keys))
      }
    }
    #expect(code == .limitExceeded)
  }
}
