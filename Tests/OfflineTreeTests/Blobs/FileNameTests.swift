import TestSupport
import Testing

@testable import OfflineTree

@Suite struct FileNameTests {
  @Test(arguments: [
    ("a", "a"), ("/a//b.jpg/", "a/b.jpg"), ("7/07/-7", "7/07/-7"), ("ü #$[].x", "ü #$[].x"), ("...", "..."),
    (".hidden", ".hidden"), ("a b", "a b"),
  ])
  func `a name is its segments, slashes that say nothing left out`(_ text: String, _ canonical: String) throws {
    let name = try FileName(text)
    #expect(name.text == canonical)
    #expect(try FileName(validating: Array(canonical.utf8)[...]) == name)
    #expect(try PathKey(encoded: name.key.bytes) == name.key)
    #expect(name.key.isOfFiles && !PathKey("a").isOfFiles)
    #expect(name.key.description == "@files/\(canonical)")
  }

  @Test(arguments: ["", "/", "a/./b", "..", "a\u{1}", "a\u{7F}", "a\nb"])
  func `what cannot be a name is refused`(_ text: String) {
    #expect(errorCode { try FileName(text) } == .invalidArgument)
  }

  @Test(arguments: ["", "/a", "a/", "a//b", "a/../b", "\u{2}"])
  func `a format holds only the canonical text`(_ text: String) {
    #expect(errorCode { try FileName(validating: Array(text.utf8)[...]) } == .damaged)
  }

  @Test func `the limits are those of a path`() throws {
    let long = String(repeating: "x", count: Limits.pathBytes - 1)
    #expect(try FileName(long).text == long)
    #expect(errorCode { try FileName(long + "x") } == .limitExceeded)
    let deep = Array(repeating: "1", count: Limits.pathLevels).joined(separator: "/")
    #expect(try FileName(deep).key.bytes.count <= PathTable.keyBytes)
    #expect(errorCode { try FileName(deep + "/1") } == .limitExceeded)
  }

  @Test func `names of a folder are one range, and none of them is a path of the tree`() throws {
    let names = try ["a", "a/b", "a/b/c", "a.b", "ab"].map { try FileName($0) }
    let folder = try FileName.folder("a")
    #expect(names.filter { folder.isPrefix(of: $0.key) }.map(\.text) == ["a", "a/b", "a/b/c"])
    #expect(try FileName.folder("") == FileName.root)
    #expect(names.allSatisfy { FileName.root.isPrefix(of: $0.key) })
    #expect(errorCode { try PathKey(encoded: FileName.root.bytes) } == .damaged)
    #expect(errorCode { try PathKey(encoded: [4]) } == .damaged)
    #expect(errorCode { try PathKey(encoded: FileName.root.bytes + [3, 0x2E, 1]) } == .damaged)
  }
}
