import OfflineTree
import TestSupport
import Testing

struct PathKeyTests {
  @Test func `the bytes are those of the format`() throws {
    #expect(PathKey(try Path("1")).bytes == [2, 0x80, 0, 0, 1, 0, 1, 1])
    #expect(PathKey(try Path("-02")).bytes == [2, 0x7F, 0xFF, 0xFF, 0xFE, 0, 3, 0])
    #expect(PathKey(try Path("a/\u{E000}\u{FFFF}")).bytes == [3, 0x61, 1, 3, 0xFB, 0x80, 0x80, 0xFC, 0xBF, 0xBF, 1])
    #expect(PathKey(.root).bytes == [])
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `text, path and bytes say the same`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<500 {
      let texts = (0..<Int.random(in: 0...6, using: &random)).map { _ in random.keyText() }
      let text = texts.joined(separator: "/")
      let path = try Path(text)
      let key = PathKey(path)
      #expect(try PathKey(validating: Array(text.utf8)) == key)
      #expect(try PathKey(encoded: key.bytes) == key)
      #expect(key.textBytes == Array(text.utf8))
      #expect(key.path == path)
      #expect(key.levels == texts.count)
      #expect(key.lastKey == path.key)
      #expect(key.parent == path.parent.map { PathKey($0) })
      #expect(key.ancestors.map(\.path) == (0..<texts.count).map { (try? Path(Array(path.keys.prefix($0)))) ?? .root })
      for (level, part) in path.keys.enumerated() { #expect(key.key(at: level) == part) }
      #expect(key.key(at: texts.count) == nil && key.key(at: -1) == nil)
      if let parent = key.parent, let last = key.lastKey { #expect(try parent.child(last) == key) }
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a subtree is the range of its prefix, and children come in order`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let names = (0..<12).map { _ in random.keyText() }
    let paths = try (0..<300).map { _ in
      try Path(
        (0..<Int.random(in: 1...3, using: &random)).map { _ in try Key(names.randomElement(using: &random) ?? "a") })
    }
    for _ in 0..<2_000 {
      let (left, right) = (paths.randomElement(using: &random) ?? .root, paths.randomElement(using: &random) ?? .root)
      let (a, b) = (PathKey(left), PathKey(right))
      #expect(a.isPrefix(of: b) == right.starts(with: left))
      #expect(b.bytes.starts(with: a.bytes) == right.starts(with: left))
      #expect((a < b) == left.keys.lexicographicallyPrecedes(right.keys))
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `bytes with accidents are the same path key or none`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<1_000 {
      var bytes = PathKey(try Path((0..<4).map { _ in random.keyText() }.joined(separator: "/"))).bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        bytes[index] = random.next() % 2 == 0 ? UInt8(random.next() % 5) : UInt8(truncatingIfNeeded: random.next())
      }
      guard let key = try? PathKey(encoded: bytes) else { continue }
      #expect(key.bytes == bytes)
      #expect(PathKey(key.path).bytes == bytes)
    }
    #expect(throws: TreeError.self) { try PathKey(encoded: Array(repeating: 2, count: 100_000)) }
  }

  @Test(arguments: ["/", "/a", "a/", "a//b", "a.b", "a/$b", "a/\u{1}", "[", "a\u{7F}"])
  func `text that is not canonical is damage`(text: String) {
    let error = #expect(throws: TreeError.self) { try PathKey(validating: Array(text.utf8)) }
    #expect(error?.code == .damaged)
  }

  @Test(arguments: [[0xC3], [0xC3, 0x2F, 0xA4], [0x61, 0x2F, 0xED, 0xA0, 0x80], [0xF8]] as [[UInt8]])
  func `bytes that are not UTF-8 are damage`(bytes: [UInt8]) {
    let error = #expect(throws: TreeError.self) { try PathKey(validating: bytes) }
    #expect(error?.code == .damaged)
  }

  @Test func `the limits of a path are told from damage`() throws {
    #expect(try PathKey(validating: Array(repeating: 0x61, count: 767)).levels == 1)
    let tooLong = #expect(throws: TreeError.self) { try PathKey(validating: Array(repeating: 0x61, count: 768)) }
    #expect(tooLong?.code == .limitExceeded)
    let deep = Array(repeating: "7", count: 32).joined(separator: "/")
    #expect(try PathKey(validating: Array(deep.utf8)).levels == 32)
    let tooDeep = #expect(throws: TreeError.self) { try PathKey(validating: Array((deep + "/7").utf8)) }
    #expect(tooDeep?.code == .limitExceeded)
  }

  @Test(
    arguments: [
      [2], [3], [3, 1], [3, 0x61], [4, 0x61, 1], [2, 0x80, 0, 0, 1, 0, 1, 0], [2, 0x80, 0, 0, 1, 0, 1, 2],
      [2, 0x80, 0, 0, 1, 0, 0, 1], [3, 0x31, 1], [3, 0xEE, 0x80, 0x80, 1], [3, 0x61, 1, 0], [1], [0],
      [2, 0x80, 0, 0, 1, 0xFF, 0xFF, 1],
    ] as [[UInt8]])
  func `bytes that no path has are refused`(bytes: [UInt8]) {
    #expect(throws: TreeError.self) { try PathKey(encoded: bytes) }
  }
}
