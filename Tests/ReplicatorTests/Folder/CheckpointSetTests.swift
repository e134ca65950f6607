import OfflineTree
import Testing

@testable import Replicator

/// Which files of a folder make a checkpoint, by what their headers say.
@Suite struct CheckpointSetTests {
  private static let hashes = (0..<4).map { Sodium.hash32([UInt8($0)]) }
  private static let whole = CheckpointPart.Whole(
    vouched: LogPosition(log: .zero, seq: 1, hash: .zero), byteCount: 4 * CheckpointPart.byteLimit, hashes: hashes)

  private static func forged(_ number: Int) -> Bytes32 { Sodium.hash32([7] + Array("\(number)".utf8)) }

  private func parts(_ files: [(home: String, number: Int, hash: Bytes32)]) -> [[String]]? {
    var index = FolderIndex(root: "/nowhere")
    for (place, file) in files.enumerated() {
      let name = FolderName("\(file.home)/\(place)")
      let part = CheckpointPart(Self.whole, number: file.number, hash: file.hash)
      let stamp = FileStamp(size: 0, modified: 0, inode: 0)
      index.entries[name] = FolderIndex.Entry(name: name, stamp: stamp, content: .checkpoint(part))
    }
    return CheckpointSet.all(in: index).first?.parts?.map { files in files.map(\.name.description) }
  }

  private func right(_ home: String, _ numbers: Int...) -> [(home: String, number: Int, hash: Bytes32)] {
    numbers.map { (home, $0, Self.hashes[$0]) }
  }

  @Test func `parts of several homes make one, and a missing one makes none`() {
    #expect(parts(right("a", 0, 1) + right("b", 2, 3)) == [["a/0"], ["a/1"], ["b/2"], ["b/3"]])
    #expect(parts(right("a", 0, 1) + right("b", 1, 3)) == nil)
    #expect(parts(right("a", 0, 1, 2, 3) + right("b", 2)) == [["a/0"], ["a/1"], ["a/2", "b/4"], ["a/3"]])
  }

  @Test func `wrong parts beside those that homes have together hide nothing`() {
    let wrong = (0..<4).map { (home: "0", number: $0, hash: Self.forged($0)) }
    let more = (4..<7).map { (home: "a", number: $0 - 4, hash: Self.forged($0)) }
    let found = parts(wrong + more + right("a", 0, 1) + right("b", 2, 3))
    #expect(found == [["a/7"], ["a/8"], ["b/9"], ["b/10"]])
  }

  @Test func `a home that has all of them is found beside any number of wrong ones`() {
    let wrong = (0..<5_000).map { (home: "h\($0 % 50)", number: $0 % 4, hash: Self.forged($0)) }
    #expect(parts(wrong) == nil)
    #expect(parts(wrong + right("z", 0, 1, 2, 3))?.joined().allSatisfy { $0.hasPrefix("z/") } == true)
  }
}
