import OfflineTree
import TestSupport
import Testing

@Suite struct ChangeCodingTests {
  private func randomChange(_ random: inout SeededRandom) -> Change {
    var form = NormalForm()
    for _ in 0..<Int.random(in: 0...6, using: &random) { form.append(random.operation()) }
    let parents = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      Change.Parent(log: Bytes16(random.bytes(16)), seq: random.next() >> 40, hash: Bytes16(random.bytes(16)))
    }
    return Change(
      parents: parents.sorted(), stamp: .at(random.next() >> 20, UInt16(truncatingIfNeeded: random.next())),
      wallTime: Int64(bitPattern: random.next() >> 8), author: random.chance(50) ? Key.of("anna") : nil,
      isImport: random.chance(20),
      bindings: random.chance(30) ? [ElementBinding(element: PathKey("jokes/j"), nonce: random.next())] : [],
      operations: form.operations)
  }

  private func decoded(_ bytes: [UInt8]) throws -> (change: Change, fault: String?)? {
    if case .change(let change, let fault) = try Change.decode(bytes[...]) { (change, fault) } else { nil }
  }

  @Test(arguments: 0..<40)
  func `what was written is read back`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<10 {
      let change = randomChange(&random)
      let read = try #require(try decoded(change.body))
      #expect(read.change == change, "seed \(seed)")
      #expect(read.fault == nil, "seed \(seed)")
    }
  }

  @Test(arguments: 0..<20)
  func `bytes that were cut short are refused`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let body = randomChange(&random).body
    for count in body.indices {
      #expect(throws: TreeError.self, "seed \(seed), \(count) bytes") { try Change.decode(body[..<count]) }
    }
  }

  @Test(arguments: 0..<20)
  func `a change has one encoding: other bytes that are read without a fault are other changes`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let body = randomChange(&random).body
    for index in body.indices {
      for flip in [UInt8(1), 0x80, 0xFF] {
        var bytes = body
        bytes[index] ^= flip
        guard let read = try? decoded(bytes), read.fault == nil else { continue }
        #expect(read.change.body == bytes, "seed \(seed), byte \(index) ^ \(flip)")
      }
    }
  }

  @Test func `bytes behind a change are refused`() {
    let body = Change(parents: [], stamp: .at(1), wallTime: 0, operations: [.put("a", 1)]).body
    #expect(throws: TreeError.self) { try Change.decode((body + [0])[...]) }
  }

  @Test func `parents out of order, or one twice, are refused`() {
    let low = Change.Parent(log: .zero, seq: 1, hash: .zero)
    let high = Change.Parent(log: .zero, seq: 2, hash: .zero)
    for parents in [[high, low], [low, low]] {
      let body = Change(parents: parents, stamp: .at(1), wallTime: 0).body
      #expect(throws: TreeError.self) { try Change.decode(body[...]) }
    }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, -0.0])
  func `numbers that have no place in the tree are refused`(number: Double) {
    // The encoder writes -0.0 as 0.0, so its bits are planted.
    var body = Change(parents: [], stamp: .at(1), wallTime: 0, operations: [.put("a", .double(1.5))]).body
    for (offset, index) in body.indices.suffix(8).enumerated() {
      body[index] = UInt8(truncatingIfNeeded: number.bitPattern >> UInt64(8 * offset))
    }
    #expect(throws: TreeError.self) { try Change.decode(body[...]) }
  }

  @Test func `a newer version, an unknown flag and an unknown kind of operation wait`() throws {
    let body = Change(parents: [], stamp: .at(1), wallTime: 0, operations: [.clear("a")]).body
    var newer = body
    newer[0] = 2
    #expect(try decoded(newer) == nil)
    let unknownFlag = RawChange(flags: 0x80, operations: [.clear("a")]).body
    #expect(try decoded(unknownFlag) == nil)
    let unknownKind = RawChange(rawOperations: [(kind: 0x7F, body: [1, 2, 3])]).body
    #expect(try decoded(unknownKind) == nil)
  }

  @Test func `hand-made bytes and the encoder agree`() {
    let operations: [Operation] = [.clear("a"), .put("b", 1), .vote("c", voter: "u", choice: -1)]
    let change = Change(parents: [], stamp: .at(5, 2), wallTime: 7, operations: operations)
    #expect(RawChange(stamp: .at(5, 2), wallTime: 7, operations: operations).body == change.body)
  }
}

extension ChangeCodingTests {
  @Test func `a hash depends on the log, the number, the hash before and every byte`() {
    let body: [UInt8] = [1, 2, 3]
    let one = Bytes32(repeatElement(1, count: 32))
    let hashes = [
      Change.hash(log: .zero, seq: 0, previous: .zero, body: body),
      Change.hash(log: Bytes16(repeatElement(1, count: 16)), seq: 0, previous: .zero, body: body),
      Change.hash(log: .zero, seq: 1, previous: .zero, body: body),
      Change.hash(log: .zero, seq: 0, previous: one, body: body),
      Change.hash(log: .zero, seq: 0, previous: .zero, body: [1, 2, 4]),
    ]
    #expect(Set(hashes).count == hashes.count)
  }

  @Test func `a run knows its last number, its size and its head`() {
    let run = ChangeRun(log: .zero, first: 3, hashBefore: .zero, bodies: [[1, 2], [3]])
    let middle = Change.hash(log: .zero, seq: 3, previous: .zero, body: [1, 2])
    #expect(run.last == 4)
    #expect(run.byteCount == 3)
    #expect(run.head == Change.hash(log: .zero, seq: 4, previous: middle, body: [3]))
  }
}
