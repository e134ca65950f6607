import OfflineTree
import TestSupport
import Testing

@Suite struct DeclarationsTests {
  private let flag = Genesis.Flag(counter: "jokes/*/votes", template: "users/$voter/votes/*")

  private func declarations(
    _ sets: [String] = ["jokes", "logs/app"], keys: Genesis.AddOnlySet.Keys = .own, flags: [Genesis.Flag]? = nil
  ) throws -> Declarations {
    try Declarations(
      addOnlySets: try sets.map { Genesis.AddOnlySet(path: try Path($0), keys: keys) }, flags: flags ?? [flag])
  }

  @Test(arguments: [
    ("jokes/j", "jokes/j"), ("jokes/j/votes", "jokes/j"), ("logs/app/l/x/y", "logs/app/l"), ("jokes/7/t", "jokes/7"),
  ])
  func `an element is the key below the set`(path: String, element: String) throws {
    let found = try declarations().element(of: PathKey(path))
    #expect(found?.path == PathKey(element))
    #expect(found?.keys == .own)
    #expect(try declarations().isInElement(PathKey(path)))
  }

  @Test(arguments: ["", "jokes", "logs", "logs/app", "jokester/j", "users/u", "logs/apps/x", "joke/s"])
  func `other paths are in no element`(path: String) throws {
    #expect(try declarations().element(of: PathKey(path)) == nil)
    #expect(try !declarations().isInElement(PathKey(path)))
  }

  @Test func `the sets at or below a path are found`() throws {
    let all = try declarations()
    #expect(all.sets(atOrBelow: .root).count == 2)
    #expect(all.sets(atOrBelow: PathKey("logs")) == [PathKey("logs/app")])
    #expect(all.sets(atOrBelow: PathKey("jokes")) == [PathKey("jokes")])
    #expect(all.sets(atOrBelow: PathKey("jokes/j")).isEmpty)
  }

  @Test func `paths at and below a flag are flagged`() throws {
    let all = try declarations()
    #expect(all.isFlagged(PathKey("users/anna/votes/j1")))
    #expect(all.isFlagged(PathKey("users/anna/votes/j1/below")))
    for path in ["users/anna/votes", "users/anna", "users/anna/likes/j1", "people/anna/votes/j1", ""] {
      #expect(!all.isFlagged(PathKey(path)), "\(path)")
    }
  }

  @Test func `a flag and a vote are found from each other`() throws {
    let all = try declarations()
    let counter = PathKey("jokes/j1/votes")
    let flag = PathKey("users/anna/votes/j1")
    #expect(try all.flagPaths(counter: counter, voter: .of("anna")) == [flag])
    #expect(try all.flagPaths(counter: PathKey("jokes/j1/text"), voter: .of("anna")).isEmpty)
    let vote = try #require(all.vote(flag: flag))
    #expect(vote.counter == counter)
    #expect(vote.voter == Key.of("anna"))
    #expect(all.vote(flag: PathKey("users/anna/votes")) == nil)
    #expect(all.hasFlags(counter: counter))
    #expect(!all.hasFlags(counter: PathKey("jokes/j1")))
  }

  @Test func `several stars keep their order`() throws {
    let flag = Genesis.Flag(counter: "rooms/*/polls/*", template: "by/$voter/*/in/*")
    let all = try declarations([], flags: [flag])
    let path = try all.flagPaths(counter: PathKey("rooms/r/polls/p"), voter: .of("v"))
    #expect(path == [PathKey("by/v/r/in/p")])
    #expect(all.vote(flag: PathKey("by/v/r/in/p"))?.counter == PathKey("rooms/r/polls/p"))
  }

  @Test func `a flag whose path would break a limit is an error`() throws {
    let deep = Genesis.Flag(
      counter: "n/*", template: repeatElement("d", count: 30).joined(separator: "/") + "/$voter/*")
    let all = try declarations([], flags: [deep])
    #expect(try all.flagPaths(counter: PathKey("n/x"), voter: .of("v")).count == 1)
    let voter = try Key(String(repeating: "v", count: 700))
    let long = try declarations()
    #expect(try long.flagPaths(counter: PathKey("jokes/j/votes"), voter: voter).count == 1)
    let joke = String(repeating: "j", count: 100)
    #expect(throws: TreeError.self) { try long.flagPaths(counter: PathKey("jokes/\(joke)/votes"), voter: voter) }
  }

  @Test(arguments: [["a", "a/b"], ["a/b", "a"], ["a", "a"], [""]])
  func `sets inside one another, and the root, are refused`(sets: [String]) {
    #expect(throws: TreeError.self) { try declarations(sets, flags: []) }
  }

  @Test(arguments: [
    Genesis.Flag(counter: "jokes/*/votes", template: "users/$voter"),
    Genesis.Flag(counter: "jokes/*/votes", template: "users/*/votes"),
    Genesis.Flag(counter: "jokes/votes", template: "users/$voter/*"),
    Genesis.Flag(counter: "jokes/$voter/*", template: "users/$voter/*"),
    Genesis.Flag(counter: "a/*", template: "users/$voter/$voter/*"),
    Genesis.Flag(counter: "", template: "users/$voter"),
    Genesis.Flag(counter: "a/b", template: "jokes/$voter"),
    Genesis.Flag(counter: "a/b", template: "$voter/x"),
    Genesis.Flag(counter: "a.b", template: "users/$voter"),
  ])
  func `flags that do not fit their counter, or meet an add-only set, are refused`(flag: Genesis.Flag) {
    #expect(throws: TreeError.self) { try declarations(["jokes"], flags: [flag]) }
  }

  @Test func `flags that overlap are refused`() {
    let flags = [
      Genesis.Flag(counter: "a/*", template: "users/$voter/*"),
      Genesis.Flag(counter: "b/*", template: "users/*/$voter"),
    ]
    #expect(throws: TreeError.self) { try declarations([], flags: flags) }
  }

  @Test func `a space may declare as many sets as the limit allows`() throws {
    let sets = (0..<Limits.declarations).map { "s\($0)" }
    #expect(try !declarations(sets, flags: []).isEmpty)
    #expect(throws: TreeError.self) { try declarations(sets + ["more"], flags: []) }
  }
}
