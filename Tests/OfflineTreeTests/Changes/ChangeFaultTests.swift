import OfflineTree
import TestSupport
import Testing

/// Content that breaks a rule makes a change void on every replica alike; it is not refused.
@Suite struct ChangeFaultTests {
  private func fault(_ body: [UInt8]) throws -> String? {
    guard case .change(_, let fault) = try Change.decode(body[...]) else {
      throw TreeError(.unsupportedVersion, "the change is not understood")
    }
    return fault
  }

  private func put(at path: String) -> [UInt8] {
    RawChange(rawOperations: [(kind: 0x21, body: RawChange.put(Array(path.utf8), .int(1)))]).body
  }

  @Test(arguments: ["a//b", "/a", "a/", "a.b", "a/$b", "a#", "[", "]", "a\u{1}", "\u{7F}"])
  func `a path that is not canonical text is no fault but damage`(path: String) {
    let error = #expect(throws: TreeError.self) { try fault(put(at: path)) }
    #expect(error?.code == .damaged)
  }

  @Test func `a path that is not UTF-8 is no fault but damage`() {
    let body = RawChange(rawOperations: [(kind: 0x20, body: [0x61, 0xFF])]).body
    let error = #expect(throws: TreeError.self) { try fault(body) }
    #expect(error?.code == .damaged)
  }

  @Test func `a path at the limits counts and one beyond does not`() throws {
    let longest = String(repeating: "k", count: Limits.pathBytes - 1)
    #expect(try fault(put(at: longest)) == nil)
    #expect(try fault(put(at: longest + "k")) != nil)
    let deepest = repeatElement("k", count: Limits.pathLevels).joined(separator: "/")
    #expect(try fault(put(at: deepest)) == nil)
    #expect(try fault(put(at: deepest + "/k")) != nil)
  }

  @Test(arguments: ["", "a.b", "a/b", "$v"])
  func `a voter that is no key`(voter: String) throws {
    let operand = RawChange.vote(Array("n".utf8), Array(voter.utf8), 1)
    #expect(try fault(RawChange(rawOperations: [(kind: 0x23, body: operand)]).body) != nil)
  }

  @Test(arguments: [2, -2, 127])
  func `a choice that is none is refused`(choice: Int64) {
    let body = RawChange(rawOperations: [(kind: 0x23, body: RawChange.vote([0x6E], [0x75], choice))]).body
    #expect(throws: TreeError.self) { try Change.decode(body[...]) }
  }

  @Test func `an author that is no key`() throws {
    #expect(try fault(RawChange(author: "a/b", operations: [.put("a", 1)]).body) != nil)
    #expect(try fault(RawChange(author: "ab", operations: [.put("a", 1)]).body) == nil)
  }

  @Test(
    arguments: [
      [.put("b", 1), .put("a", 1)], [.put("a", 1), .clear("b")], [.put("a", 1), .put("a", 2)],
      [.put("a", 1), .put("a/b", 2)], [.clear("a"), .clear("a/b")], [.clear("a"), .put("a", 1)],
      [.clear("a/b"), .put("a", 1)], [.put("a", 1), .increment("a/b", by: 1)],
      [.increment("a", by: 1), .increment("a", by: 1)],
      [.vote("a", voter: "v", choice: 1), .vote("a", voter: "u", choice: 1)],
      [.put("a", 1), .vote("a/b", voter: "u", choice: 1)], [.priority("a", .int(1)), .priority("a", .int(2))],
    ] as [[Operation]])
  func `operations that are not in normal form`(operations: [Operation]) throws {
    #expect(try fault(RawChange(operations: operations).body) != nil)
  }

  @Test func `element bindings out of order, or one element twice`() throws {
    let first = ElementBinding(element: PathKey("jokes/a"), nonce: 1)
    let second = ElementBinding(element: PathKey("jokes/b"), nonce: 1)
    #expect(try fault(RawChange(bindings: [first, second]).body) == nil)
    #expect(try fault(RawChange(bindings: [second, first]).body) != nil)
    #expect(try fault(RawChange(bindings: [first, first]).body) != nil)
  }

  @Test func `a string at the limit counts and one beyond makes the change void`() throws {
    let longest = String(repeating: "s", count: Limits.stringBytes)
    #expect(try fault(RawChange(operations: [.put("a", .string(longest))]).body) == nil)
    #expect(try fault(RawChange(operations: [.put("a", .string(longest + "s"))]).body) != nil)
  }

  @Test func `a change at the size limit counts and one beyond does not`() throws {
    let half = String(repeating: "s", count: Limits.changeBytes / 2)
    let frame = RawChange(operations: [.put("a", .string(half)), .put("b", .string(half))]).body.count
    let fitting = String(half.dropLast(frame - Limits.changeBytes))
    let exact = RawChange(operations: [.put("a", .string(half)), .put("b", .string(fitting))]).body
    #expect(exact.count == Limits.changeBytes)
    #expect(try fault(exact) == nil)
    let beyond = RawChange(operations: [.put("a", .string(half)), .put("b", .string(fitting + "s"))]).body
    #expect(try fault(beyond) != nil)
  }

  @Test func `as many operations as the limit allows count and one more does not`() throws {
    // Six digits with a letter before them sort as they are made.
    let clears = (0...Limits.changeOperations).map { index in
      (kind: UInt8(0x20), body: [0x6B] + String(100_000 + index).utf8)
    }
    #expect(try fault(RawChange(rawOperations: Array(clears.dropLast())).body) == nil)
    #expect(try fault(RawChange(rawOperations: clears).body) != nil)
  }
}
