import TestSupport
import Testing

@testable import OfflineTree

/// One copy of the checkpoint in memory for all who are sent it.
@Suite struct CheckpointShelfTests {
  private func address(_ bytes: [UInt8]) -> UInt {
    unsafe bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
  }

  @Test func `all share one copy, there are places for a few, and a new one replaces it`() throws {
    let fleet = try Fleet(1, seed: 1)
    #expect(try fleet[0].borrowCheckpoint() == nil)
    let bundle = try fleet[0].attest()
    var borrowed: [BorrowedCheckpoint] = []
    for _ in 0..<CheckpointShelf.places { borrowed.append(try #require(try fleet[0].borrowCheckpoint())) }
    #expect(borrowed[0].bytes == bundle.encoded)
    #expect(Set(borrowed.map { address($0.bytes) }).count == 1)
    #expect(try fleet[0].borrowCheckpoint() == nil)
    borrowed.removeLast()
    try fleet[0].write { try $0.increment(Path("n"), by: .int(1)) }
    let later = try fleet[0].attest()
    let new = try #require(try fleet[0].borrowCheckpoint())
    #expect(new.bytes == later.encoded && later != bundle)
    #expect(borrowed[0].bytes == bundle.encoded)
    #expect(try fleet[0].borrowCheckpoint() == nil)
    borrowed = []
    #expect(try fleet[0].borrowCheckpoint()?.bytes == later.encoded)
  }
}
