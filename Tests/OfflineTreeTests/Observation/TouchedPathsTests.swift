import TestSupport
import Testing

@testable import OfflineTree

/// What a commit's record says.
@Suite struct TouchedPathsTests {
  private func paths(_ touched: TouchedPaths) throws -> [(path: String, isWhole: Bool)] {
    var found: [(path: String, isWhole: Bool)] = []
    try TouchedPaths.forEach(in: touched.encoded) { found.append(($0.description, $1)) }
    return found
  }

  @Test func `few paths are told as they are`() throws {
    var touched = TouchedPaths()
    for path in ["a/b", "a", "a/b"] { touched.insert(PathKey(path)) }
    let found = try paths(touched)
    #expect(Set(found.map(\.path)) == ["a", "a/b"])
    #expect(found.allSatisfy { !$0.isWhole })
  }

  @Test func `of many paths the deepest level is no longer told apart`() throws {
    var touched = TouchedPaths()
    for number in 0..<12_500 { touched.insert(PathKey("jokes/joke number \(number)/of many/votes")) }
    touched.insert(PathKey("users/u"))
    let found = try paths(touched)
    #expect(touched.encoded.count <= TouchedPaths.byteLimit)
    #expect(found.contains { $0.path == "jokes/joke number 7/of many" && $0.isWhole })
    #expect(found.contains { $0.path == "users/u" && !$0.isWhole })
    #expect(found.count == 12_501)
  }

  @Test func `of even more paths only what they are below is told`() throws {
    var touched = TouchedPaths()
    for number in 0..<60_000 { touched.insert(PathKey("jokes/joke \(number)/votes")) }
    let found = try paths(touched)
    #expect(found.map(\.path) == ["jokes"] && found.allSatisfy(\.isWhole))
  }

  @Test func `what is cut stays cut when it is put together with others`() throws {
    var everything = TouchedPaths()
    everything.insertEverything()
    var touched = TouchedPaths()
    touched.insert(PathKey("a/b"))
    touched.formUnion(everything)
    touched.insert(PathKey("c"))
    let found = try paths(touched)
    #expect(found.map(\.path) == [""] && found.allSatisfy(\.isWhole))
  }

  @Test func `a commit has one record for all its writes, and old ones go`() async throws {
    let home = try ObservedHome()
    for number in 0..<300 { try await home.set("k\(number)", "1") }
    let count = try home.database.store.read { try $0.count(.commit) }
    #expect(count == Int(Replica.commitRing))
  }

  @Test func `who has slept through the ring of records is told all the same`() async throws {
    let home = try ObservedHome()
    var events = home.ref("x").snapshots.makeAsyncIterator()
    #expect(try await events.next()?.exists() == false)
    try await home.set("x/a", "1")
    for number in 0..<300 { try await home.database.write { try $0.setValue(.int(1), at: try Path("k\(number)")) } }
    #expect(try await events.next()?.childrenCount == 1)
  }
}
