import OfflineTree
import TestSupport
import Testing

/// What is not shown any more, and who may say so.
@Suite struct ModerationTests {
  private static let rules = """
    {"rules": {"own": {"$joke": {".write": "auth != null", ".validate": "newData.hasChildren(['text'])"}},
      "users": {"$uid": {".write": "auth.uid == $uid"}}}}
    """

  private func signUp(_ name: String, on database: Database) throws -> User {
    var typed = Array("correct horse battery".utf8)
    return try Auth(database, profile: .smallest).createUser(
      withEmail: "\(name)@example.org", password: try Password(&typed), username: name
    ).user
  }

  private func joke(by user: User, on database: Database) throws -> Path {
    let set = PathKey("own").path
    let value = try NewValue(json: Array(#"{"text":"a"}"#.utf8))
    return try set.child(try database.write(as: user.uid) { try $0.push(value, to: set) })
  }

  private func removal(_ element: Path, on database: Database) throws -> Removal? {
    try database.read { try $0.removal(of: element) }
  }

  private func expectRefused(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
    #expect(sourceLocation: sourceLocation) {
      try body()
    } throws: { ($0 as? TreeError)?.code == .refused }
  }

  @Test func `an owner's word hides an element everywhere, and shows it again`() throws {
    let fleet = try Fleet(3, seed: 1)
    try fleet.meetAll()
    let ann = try signUp("ann", on: fleet[1])
    let joke = try joke(by: ann, on: fleet[1])
    try fleet.meetAll()
    expectRefused { try fleet[1].moderate(joke, isHidden: true) }
    #expect(try removal(joke, on: fleet[2]) == nil)
    try fleet[0].moderate(joke, isHidden: true)
    try fleet.meetAll()
    for index in 0..<3 {
      let removal = try #require(try removal(joke, on: fleet[index]))
      guard case .moderated("d0", _) = removal else { return #expect(Bool(false), "\(removal)") }
      #expect(try fleet[index].read { try $0.exists(at: joke) }, "history keeps the bytes")
    }
    try fleet[0].moderate(joke, isHidden: false)
    try fleet.meetAll()
    #expect(try removal(joke, on: fleet[2]) == nil)
    try fleet.expectConverged()
  }

  @Test func `whoever added an element takes it back, and nobody else does`() throws {
    let fleet = try Fleet(3, seed: 2)
    try fleet.meetAll()
    let (ann, ben) = (try signUp("ann", on: fleet[1]), try signUp("ben", on: fleet[2]))
    let joke = try joke(by: ann, on: fleet[1])
    try fleet.meetAll()
    expectRefused { try fleet[2].retract(joke, as: ben.uid) }
    // A changed program says it all the same.
    try fleet[2].write(as: ben.uid) { $0.act(.retract(PathKey(joke))) }
    try fleet.meetAll()
    #expect(try removal(joke, on: fleet[0]) == nil)
    #expect(try fleet[0].read { try $0.author(of: joke) } == ann.uid)
    try fleet[1].retract(joke, as: ann.uid)
    try fleet.meetAll()
    let said = fleet.members[1].clock.now
    for index in 0..<3 { #expect(try removal(joke, on: fleet[index]) == .retracted(at: said)) }
    #expect(throws: TreeError.self) { try fleet[1].retract(PathKey("own/none").path, as: ann.uid) }
    try fleet.expectConverged()
  }

  @Test func `each element tells its author, beside others of its change or not`() throws {
    let fleet = try Fleet(2, seed: 7)
    try fleet.meetAll()
    let (ann, ben) = (try signUp("ann", on: fleet[1]), try signUp("ben", on: fleet[0]))
    let set = PathKey("own").path
    let value = try NewValue(json: Array(#"{"text":"a"}"#.utf8))
    var authors: [(Path, Key?)] = []
    for user in [ann.uid, nil, ben.uid, ann.uid] {
      let keys = try fleet[user == ann.uid ? 1 : 0].write(as: user) { transaction in
        try (0..<3).map { _ in try transaction.push(value, to: set) }
      }
      for key in keys { authors.append((try set.child(key), user)) }
    }
    try fleet.meetAll()
    // In one view, in an order that goes from change to change and back.
    try fleet[1].read { transaction in
      for (path, user) in authors + authors.reversed() + [authors[0], authors[6], authors[1]] {
        let author = try transaction.author(of: path)
        #expect(author == user)
      }
    }
  }

  @Test func `rules that an owner sets judge those who have heard of them`() throws {
    let fleet = try Fleet(3, seed: 3)
    try fleet.meetAll()
    let ann = try signUp("ann", on: fleet[1])
    try fleet.meetAll()
    #expect(try fleet[1].rules() == nil)
    expectRefused { try fleet[1].setRules(Self.rules) }
    #expect(throws: TreeError.self) { try fleet[0].setRules("{") }
    try fleet[0].setRules(Self.rules)
    // Unheard of, anything goes on d1; heard of, only what the rules say.
    try fleet[1].write(as: ann.uid) { try $0.setValue(NewValue(Scalar.int(1)), at: PathKey("free").path) }
    try fleet.meetAll()
    #expect(try fleet[1].rules() == Self.rules)
    expectRefused {
      try fleet[1].write(as: ann.uid) { try $0.setValue(NewValue(Scalar.int(2)), at: PathKey("free").path) }
    }
    expectRefused { try fleet[2].write { try $0.setValue(NewValue(Scalar.int(2)), at: PathKey("free").path) } }
    let joke = try joke(by: ann, on: fleet[1])
    // An owner's device without an author looks after the space.
    try fleet[0].write { try $0.setValue(NewValue(Scalar.int(3)), at: PathKey("kept").path) }
    try fleet.meetAll()
    #expect(try fleet[2].value(at: "free") == .int(1))
    #expect(try fleet[2].value(at: "kept") == .int(3))
    #expect(try fleet[2].read { try $0.exists(at: joke) })
    try fleet.expectConverged()
  }

  @Test func `a write is tried under rules without being made`() throws {
    let fleet = try Fleet(1, seed: 4)
    let ann = try signUp("ann", on: fleet[0])
    let free = PathKey("free").path
    let refusal = try fleet[0].ruleRefusal(as: ann.uid, rules: Self.rules) {
      try $0.setValue(NewValue(Scalar.int(1)), at: free)
    }
    #expect(refusal == "the rules do not let it write at /free: no .write on the way there")
    #expect(try fleet[0].ruleRefusal(as: nil) { try $0.setValue(NewValue(Scalar.int(1)), at: free) } == nil)
    #expect(try fleet[0].value(at: "free").isNull)
    #expect(throws: TreeError.self) { try fleet[0].ruleRefusal(as: Key.of("nobody")) { _ in } }
  }
}
