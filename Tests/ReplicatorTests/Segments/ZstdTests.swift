import OfflineTree
import Testing

@testable import Replicator

@Suite struct ZstdTests {
  private static let content = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 3) }

  private func refusal(of frame: [UInt8], _ count: Int) -> TreeError? {
    #expect(throws: TreeError.self) { try Zstd.decompress(frame[...], byteCount: count) }
  }

  @Test(arguments: [1, 100, 1_000, 200_000])
  func `what was compressed comes back, and its frame is within the bound`(count: Int) throws {
    let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
    let frame = try Zstd.compress(content)
    #expect(frame.count <= Zstd.bound(count))
    #expect(try Zstd.decompress(frame[...], byteCount: count) == content)
    #expect(try Zstd.decompress(([9] + frame).dropFirst(), byteCount: count) == content, "slices have other indices")
  }

  @Test func `frames by hand are what zstd reads, so that what is refused below is refused for its fault`() throws {
    let raw = RawFrame(blocks: [.raw([1, 2, 3]), .run(7, count: 5)], contentSize: 8)
    #expect(try Zstd.decompress(raw.bytes[...], byteCount: 8) == [1, 2, 3, 7, 7, 7, 7, 7])
    let windowed = RawFrame(blocks: [.raw([1, 2, 3])], contentSize: 3, window: 15 << 3)
    #expect(try Zstd.decompress(windowed.bytes[...], byteCount: 3) == [1, 2, 3])
  }

  @Test func `one frame is all there may be`() throws {
    let frame = try Zstd.compress(Self.content)
    let count = Self.content.count
    let two = [
      frame + frame, frame + RawFrame.skippable, RawFrame.skippable + frame, RawFrame.skippable, frame + [0],
      RawFrame(blocks: [.raw([])], contentSize: 0).bytes + frame, [],
    ]
    for bytes in two {
      #expect(refusal(of: bytes, count)?.code == .damaged)
      #expect(refusal(of: bytes, 2 * count)?.code == .damaged)
    }
  }

  @Test func `a frame that does not say its length, or says another one, is refused`() throws {
    let frame = try Zstd.compress(Self.content)
    for count in [0, 999, 1_001, 32 << 20] { #expect(refusal(of: frame, count)?.code == .damaged) }
    let silent = RawFrame(blocks: [.raw([1, 2, 3])], contentSize: nil, window: 0)
    #expect(refusal(of: silent.bytes, 3)?.context.contains("does not say") == true)
  }

  @Test func `a frame that holds more or less than it says is refused`() {
    let bomb = RawFrame(blocks: Array(repeating: .run(0, count: 128 << 10), count: 1_000), contentSize: 10)
    #expect(refusal(of: bomb.bytes, 10)?.code == .damaged)
    let long = RawFrame(blocks: [.run(0, count: 11)], contentSize: 10)
    #expect(refusal(of: long.bytes, 10)?.code == .damaged)
    let short = RawFrame(blocks: [.run(0, count: 9)], contentSize: 10)
    #expect(refusal(of: short.bytes, 10)?.code == .damaged)
  }

  @Test func `a window above the limit is refused, whatever the content`() {
    for window: UInt8 in [15 << 3 | 1, 16 << 3, 21 << 3, 31 << 3, 0xFF] {
      let frame = RawFrame(blocks: [.raw([1, 2, 3])], contentSize: 3, window: window)
      #expect(refusal(of: frame.bytes, 3)?.code == .limitExceeded)
    }
  }

  @Test func `every cut is refused, and every flipped bit is refused or gives so many bytes`() throws {
    let frame = try Zstd.compress(Self.content)
    for count in frame.indices { _ = refusal(of: Array(frame[..<count]), Self.content.count) }
    for index in frame.indices {
      for bit in 0..<8 {
        var flipped = frame
        flipped[index] ^= 1 << UInt8(bit)
        let read = try? Zstd.decompress(flipped[...], byteCount: Self.content.count)
        #expect(read.map { $0.count == Self.content.count } ?? true)
      }
    }
  }
}
