import OfflineTree
import Testing

struct PathTests {
  @Test(arguments: [
    ("", ""), ("/", ""), ("///", ""), ("a", "a"), ("/a/b/", "a/b"), ("a//b///c", "a/b/c"), ("日/本", "日/本"),
  ])
  func `extra slashes are dropped`(text: String, canonical: String) throws {
    #expect(try Path(text).description == canonical)
  }

  @Test func `a bad key is named with its path`() {
    let error = #expect(throws: TreeError.self) { try Path("jokes/a.b/text") }
    #expect(error?.code == .invalidArgument)
    #expect(error?.context.contains("jokes/a.b/text") == true)
  }

  @Test func `768 bytes and 32 levels are a path and one more is not`() throws {
    #expect(try Path(String(repeating: "x", count: 767)).keys.count == 1)
    #expect(throws: TreeError.self) { try Path(String(repeating: "x", count: 768)) }
    #expect(try Path(Array(repeating: "aaaaaaaaaaaaaaaaaaaaaaa", count: 32).joined(separator: "/")).keys.count == 32)
    let deep = try Path(Array(repeating: "a", count: 32).joined(separator: "/"))
    let error = #expect(throws: TreeError.self) { try deep.child("b") }
    #expect(error?.code == .limitExceeded)
    let parent = try #require(deep.parent)
    #expect(try parent.child("a") == deep)
    #expect(throws: TreeError.self) { try PathKey(deep).child(try Key("b")) }
    #expect(throws: TreeError.self) { try Path(Array(repeating: "a", count: 33).joined(separator: "/")) }
  }

  @Test func `a path knows its family`() throws {
    let path = try Path("a/b/c")
    #expect(path.key?.text == "c")
    #expect(path.parent == (try Path("a/b")))
    #expect(path.starts(with: try Path("a/b")))
    #expect(path.starts(with: .root))
    #expect(!path.starts(with: try Path("a/bb")))
    #expect(!(try Path("a/bb")).starts(with: try Path("a/b")))
    #expect(try path.appending(Path("d/e")).description == "a/b/c/d/e")
    #expect(Path.root.parent == nil && Path.root.key == nil && Path.root.isRoot)
  }
}
