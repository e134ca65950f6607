import TestSupport
import Testing

@testable import OfflineTree

/// Files as registers: what travels, what is kept of them, and what cannot be.
@Suite struct FileRegisterTests {
  private static let content = FileContent(manifest: Bytes32(repeatElement(9, count: 32)), length: 77, type: "a/b")

  @Test func `a change carries files as the format says`() throws {
    let change = Change(
      parents: [], stamp: .at(1), wallTime: 1,
      operations: [.file(try FileName("a/b.c"), Self.content), .file(try FileName("a/x"), nil)])
    let bytes = change.body
    let hash = String(repeating: "09", count: 32)
    #expect(
      hexadecimal(bytes).hasSuffix(
        "02" + "252c" + "05612f622e63" + "01" + hash + "4d" + "03612f62" + "2505" + "03612f78" + "00"))
    guard case .change(let again, let fault) = try Change.decode(bytes[...]) else {
      Issue.record("not decoded")
      return
    }
    #expect(again == change && fault == nil)
  }

  @Test func `files are in normal form, each name once, behind everything else`() throws {
    let (a, b) = (try FileName("a"), try FileName("b"))
    var form = NormalForm()
    form.append(.file(b, nil))
    form.append(.file(a, nil))
    form.append(.file(a, Self.content))
    form.append(.put("x", 1))
    form.append(.clear(""))
    #expect(form.operations == [.clear(""), .file(a, Self.content), .file(b, nil)])
    #expect(NormalForm.holds(form.operations))
    #expect(!NormalForm.holds([.file(a, nil), .file(a, Self.content)]))
    #expect(!NormalForm.holds([.file(b, nil), .file(a, nil)]))
    #expect(!NormalForm.holds([.file(a, nil), .put("x", 1)]))
  }

  @Test func `what is beyond a limit is void by form, and what is no file does not decode`() throws {
    func decode(_ body: [UInt8]) throws -> Change.Decoded {
      try Change.decode(RawChange(rawOperations: [(kind: 0x25, body: body)]).body[...])
    }
    func body(_ name: String, length: UInt64 = 1, type: String = "") -> [UInt8] {
      var writer = ByteWriter()
      writer.prefixed(name)
      writer.u8(1)
      FileContent(manifest: .zero, length: length, type: type).encode(to: &writer)
      return writer.bytes
    }
    func fault(_ body: [UInt8]) throws -> String? {
      if case .change(_, let fault) = try decode(body) { return fault }
      return "waits"
    }
    #expect(try fault(body("a")) == nil)
    #expect(try fault(body("a", length: Limits.fileBytes)) == nil)
    #expect(try fault(body("a", length: Limits.fileBytes + 1)) != nil)
    #expect(try fault(body("a", type: String(repeating: "t", count: Limits.fileTypeBytes))) == nil)
    #expect(try fault(body("a", type: String(repeating: "t", count: Limits.fileTypeBytes + 1))) != nil)
    #expect(try fault(body("a", type: "ü")) != nil)
    #expect(try fault(body(String(repeating: "x", count: Limits.pathBytes))) != nil)
    #expect(errorCode { try decode(body("a/../b")) } == .damaged)
    #expect(errorCode { try decode(body("/a")) } == .damaged)
    #expect(errorCode { try decode(body("a") + [0]) } == .damaged)
    #expect(errorCode { try decode([1, 0x61, 2]) } == .damaged)
  }

  @Test func `the tree and the files do not touch each other`() async throws {
    let fixture = try StorageFixture()
    try await fixture["a"].putData([1])
    try await fixture.database.write { try $0.setValue(Value.null, at: .root) }
    try await fixture.database.write { try $0.setValue(Value.string("x"), at: .root) }
    #expect(try await fixture["a"].getData(maxSize: 1) == [1])
    try await fixture["a"].delete()
    #expect(try fixture.database.read { try $0.value(at: .root) } == .string("x"))
    #expect(try fixture.database.verify().problems == [])
  }

  @Test func `a comparison of states names a file that differs`() async throws {
    let fleet = try Fleet(2, seed: 3)
    let content = Self.content
    try await fleet[0].write { try $0.setFile(FileName("a/b.jpg"), content) }
    try fleet.meetAll()
    try await fleet[1].queue.submit { rows, _ in
      try PathTable.file.delete(try FileName("a/b.jpg").key.bytes, in: rows)
      for bucket in 0..<StateHash.buckets where try rows.get(.hash, [UInt8(bucket)]) != nil {
        if StateHash.bucket(of: try FileName("a/b.jpg").key) == UInt8(bucket) {
          try rows.delete(.hash, [UInt8(bucket)])
        }
      }
    }
    var comparison = StateComparison()
    while let question = comparison.question { try comparison.take(try fleet[1].answer(question), in: fleet[0]) }
    #expect(comparison.paths.map(\.description) == ["@files/a/b.jpg"])
  }
}
