import OfflineTree
import TestSupport
import Testing

struct ExactSumTests {
  /// Reads a word of the vectors.
  private func scalar(_ word: Substring) throws -> Scalar {
    if word.first == "i" { return .int(try #require(Int64(word.dropFirst()))) }
    return .double(Double(bitPattern: try #require(UInt64(word.dropFirst(), radix: 16))))
  }

  private func read(_ line: String) throws -> (addends: [Scalar], sum: Scalar) {
    let words = line.split(separator: " ").filter { $0 != "=" }
    return (try words.dropLast().map(scalar), try scalar(try #require(words.last)))
  }

  private func sum(_ addends: [Scalar]) -> ExactSum {
    addends.reduce(into: ExactSum()) { $0.add($1) }
  }

  private func bytes(_ sum: ExactSum) -> [UInt8] {
    var writer = ByteWriter()
    sum.encode(to: &writer)
    return writer.bytes
  }

  @Test(arguments: ExactSumVectors.lines)
  func `a sum is exact and rounded once, in every order`(line: String) throws {
    let (addends, expected) = try read(line)
    let forwards = sum(addends)
    #expect(forwards.value == expected)
    var random = SeededRandom(seed: 1)
    for _ in 0..<5 {
      let shuffled = addends.shuffled(using: &random)
      #expect(bytes(sum(shuffled)) == bytes(forwards))
      let cut = Int.random(in: 0...addends.count, using: &random)
      var halves = sum(Array(shuffled[..<cut]))
      halves += sum(Array(shuffled[cut...]))
      #expect(halves == forwards)
      #expect(bytes(halves) == bytes(forwards))
    }
  }

  @Test(arguments: ExactSumVectors.lines)
  func `what was added can be taken away, in every order`(line: String) throws {
    let (addends, _) = try read(line)
    var random = SeededRandom(seed: 2)
    var one = sum(addends)
    for addend in addends.shuffled(using: &random) { one.subtract(addend) }
    #expect(one.isZeroAndIntegral)
    #expect(bytes(one) == [0, 0])
    let kept = addends.prefix(addends.count / 2)
    var other = ExactSum()
    other -= sum(Array(addends.dropFirst(kept.count)))
    other += sum(addends)
    #expect(bytes(other) == bytes(sum(Array(kept))))
  }

  @Test(arguments: ExactSumVectors.lines)
  func `a sum is read back from its bytes`(line: String) throws {
    let whole = sum(try read(line).addends)
    var reader = ByteReader(bytes(whole))
    #expect(try ExactSum.decode(from: &reader) == whole)
    #expect(reader.isAtEnd)
  }

  @Test func `a base number is rounded together with the sum`() {
    var half = ExactSum(.double(0.5))
    half.add(.double(.leastNonzeroMagnitude))
    #expect(half.rounded(adding: .int(9_007_199_254_740_993)) == .double(9_007_199_254_740_994))
    #expect(half.rounded(adding: nil) == .double(0.5))
    #expect(ExactSum(.int(1)).rounded(adding: .int(.max)) == .double(0x1p63))
    #expect(ExactSum(.int(1)).rounded(adding: .double(1)) == .double(2))
    #expect(ExactSum().rounded(adding: .int(7)) == .int(7))
  }

  @Test func `a double that came and went leaves no kind behind`() {
    var sum = ExactSum(.int(3))
    sum.add(.double(0.25))
    #expect(sum.value == .double(3.25))
    sum.subtract(.double(0.25))
    #expect(sum.value == .int(3))
    sum.add(.string("no number"))
    sum.subtract(.bool(true))
    #expect(sum == ExactSum(.int(3)))
    #expect(!ExactSum(.double(0)).isZeroAndIntegral)
  }

  @Test func `integers beyond 128 bits are still exact`() {
    var sum = ExactSum()
    for _ in 0..<3 { sum.add(.double(0x1p126)) }
    sum.add(.int(1))
    for _ in 0..<3 { sum.subtract(.double(0x1p126)) }
    #expect(sum == ExactSum(.int(1)))
  }

  @Test(
    arguments: [
      ([], 2), ([.int(5)], 3), ([.int(300)], 4), ([.double(1)], 3), ([.double(0.25)], 12),
      ([.double(0.1), .double(0.7)], 20),
      ([.double(1e300), .double(1)], 139),
    ] as [([Scalar], Int)])
  func `common sums take few bytes`(addends: [Scalar], atMost size: Int) {
    #expect(bytes(sum(addends)).count <= size)
  }

  @Test(
    arguments: [
      [], [0], [0, 1], [0, 1, 0], [0, 2, 5, 0], [0, 2, 0xFF, 0xFF], [0, 17] + Array(repeating: 1, count: 17),
      [0x80, 0, 0],
      [0, 0xFF, 0, 0], [0, 0xFF, 17, 1, 1, 0, 0, 0, 0, 0, 0, 0], [0, 0xFF, 36, 1, 1, 0, 0, 0, 0, 0, 0, 0],
      [0, 0xFF, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0], [0, 0xFF, 16, 1, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0xFF, 16, 1, 1, 0, 0],
      [2, 0xFF, 16, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0xFF, 0xFF, 0xFF],
    ] as [[UInt8]])
  func `bytes that no sum has are damage`(bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    let error = #expect(throws: TreeError.self) { try ExactSum.decode(from: &reader) }
    #expect(error?.code == .damaged)
  }
}
