import OfflineTree
import TestSupport
import Testing

/// A member with a changed program in a space of jokes, with the rules that it comes with.
@Suite struct JokesLieTests {
  @Test(arguments: JokesLie.all)
  func `a member's lie has no effect, in every order, and is reported`(lie: JokesLie) throws {
    var jokes = try JokesStory()
    try lie.tell(&jokes)
    let outcome = try jokes.story.outcome(orders: 5)
    let untouched = try JSON(
      parsing: JokesStory.untouched(lie.added).replacing("JOKE", with: jokes.key)
        .replacing("ANN", with: jokes.story.ann.user.text).replacing("BEN", with: jokes.story.ben.user.text))
    let tree = try JSON(parsing: outcome.tree)
    #expect(tree == untouched)
    #expect(outcome.voids.count == lie.reasons.count, "\(outcome.voids)")
    for (reason, wanted) in zip(outcome.voids, lie.reasons) { #expect(reason.contains(wanted), "\(outcome.voids)") }
    let listener = try Listener(jokes.story.space)
    try listener.receive(jokes.story.records)
    let status = try listener.database.read { try $0.status() }
    #expect(status.voids.allSatisfy { $0.deviceName == "second" && $0.log == jokes.story.second.id })
    #expect(try listener.database.read { try $0.removal(of: Path("jokes/\(jokes.key)")) } == nil)
    let accounts = Set(try listener.database.accounts().map(\.account))
    #expect(accounts.isSuperset(of: [jokes.story.ann.account(), jokes.story.ben.account()]))
    #expect(try listener.database.sessions(of: jokes.story.ann.user).count == 1)
  }

  @Test func `a log-out cannot be written around, whatever is left out`() throws {
    var jokes = try JokesStory()
    let end = try jokes.story.founder.control(
      [jokes.story.ben.logOut(of: jokes.story.second.device)], seeing: [jokes.last], stamp: jokes.story.next())
    // Back-dated, named as seen, and from a copy of the home that never heard of it.
    try jokes.lie([.vote("jokes/JOKE/votes", voter: "BEN", choice: -1)], stamp: .at(1_500))
    try jokes.lie([.vote("jokes/JOKE/votes", voter: "BEN", choice: -1)], seeing: [end])
    try jokes.fork([.vote("jokes/JOKE/votes", voter: "BEN", choice: -1)])
    let outcome = try jokes.story.outcome(orders: 6)
    #expect(try JSON(parsing: outcome.tree) == jokes.json(JokesStory.untouched()))
    // The second has a stamp below what it had seen: void by form.
    #expect(outcome.voids == [SessionTests.loggedOut, SessionTests.loggedOut, JokesLie.stamp])
  }

  @Test func `what has seen new rules is judged by them, also if it leaves them out`() throws {
    var jokes = try JokesStory()
    let rules = try jokes.story.founder.control(
      [.rules(Array(#"{"rules": {".write": false, ".vote": false}}"#.utf8))], seeing: [jokes.last],
      stamp: jokes.story.next())
    try jokes.lie([.vote("jokes/JOKE/votes", voter: "BEN", choice: -1)], seeing: [rules])
    try jokes.lie([.vote("jokes/JOKE/votes", voter: "BEN", choice: -1)])
    // One that has seen nothing of them is like one that was offline: the rules before judge it.
    try jokes.fork([.vote("jokes/JOKE/votes", voter: "ANN", choice: -1)])
    let outcome = try jokes.story.outcome(orders: 6)
    #expect(try JSON(parsing: outcome.tree) == jokes.json(JokesStory.untouched()))
    #expect(outcome.voids.count == 3)
  }
}

/// ann posts a joke on the first device, ben votes for it on the second; then ben lies.
struct JokesStory {
  var story: PeopleStory
  /// The key of the joke, which is bound to ann's device.
  let key: String
  /// ben's vote.
  private(set) var last: Record

  init() throws {
    let sets = [Genesis.AddOnlySet(path: try Path("jokes"), keys: .own)]
    let flags = [Genesis.Flag(counter: "jokes/*/votes", template: "users/$voter/votes/*")]
    let rules = Array(try Fixtures.text("rules/jokes.rules").utf8)
    var story = try PeopleStory(addOnlySets: sets, flags: flags, rules: rules)
    let (ann, ben) = (story.ann, story.ben)
    let (key, binding) = JokesStory.newKey(story.space.id, story.first, number: 7)
    try story.first.control(
      [ann.signUp(on: story.first.device), ann.logIn(on: story.first.device)].normalized, stamp: story.next(),
      author: ann.user, operations: [.put("users/\(ann.user)/username", .string("ann"))])
    let joke = try story.first.write(
      JokesStory.joke(key, author: "ann"), stamp: story.next(), author: ann.user, bindings: [binding])
    try story.second.control(
      [ben.signUp(on: story.second.device), ben.logIn(on: story.second.device)].normalized, stamp: story.next(),
      author: ben.user)
    last = try story.second.write(
      [.vote("jokes/\(key)/votes", voter: ben.user.text, choice: 1)], seeing: [joke], stamp: story.next(),
      author: ben.user)
    (self.story, self.key) = (story, key)
  }

  static func newKey(_ space: SpaceID, _ log: RawLog, number: UInt64) -> (String, ElementBinding) {
    let key = ElementBinding.key(space: space, device: log.deviceKey, milliseconds: 1_000, nonce: number).text
    return (key, ElementBinding(element: PathKey("jokes/\(key)"), nonce: number))
  }

  static func joke(_ key: String, author: String, votes: Int64 = 0) -> [OfflineTree.Operation] {
    [
      .put("jokes/\(key)/author", .string(author)), .put("jokes/\(key)/jokeText", .string("joke")),
      .put("jokes/\(key)/votes", votes),
    ]
  }

  /// The tree that the honest have made, with what else is among the users.
  static func untouched(_ added: String = "") -> String {
    """
    {"jokes": {"JOKE": {"author": "ann", "jokeText": "joke", "votes": 1}},
      "users": {"ANN": {"username": "ann"}, "BEN": {\(added)"votes": {"JOKE": true}}}}
    """
  }

  func json(_ text: String) throws -> JSON { try JSON(parsing: named(text)) }

  private func named(_ text: String) -> String {
    text.replacing("JOKE", with: key).replacing("ANN", with: story.ann.user.text)
      .replacing("BEN", with: story.ben.user.text)
  }

  /// A change of ben's log, in which JOKE, ANN and BEN stand for what they are.
  mutating func lie(
    _ operations: [OfflineTree.Operation], as author: Key?? = .none, seeing parents: [Record] = [], stamp: Stamp? = nil,
    isImport: Bool = false, bindings: [ElementBinding] = []
  ) throws {
    try story.second.write(
      operations.map(named), seeing: parents, stamp: stamp ?? story.next(), author: author ?? story.ben.user,
      isImport: isImport, bindings: bindings)
  }

  /// Acts of ben's device, which names nobody.
  mutating func act(_ controls: [ControlOperation], as author: Key? = nil) throws {
    try story.second.control(controls.normalized, stamp: story.next(), author: author)
  }

  /// A change behind ben's vote in a copy of the log.
  mutating func fork(_ operations: [OfflineTree.Operation]) throws {
    var copy = story.second.prefix(Int(last.seq) + 1)
    story.loose.append(try copy.write(operations.map(named), stamp: story.next(), author: story.ben.user))
  }

  private func named(_ operation: OfflineTree.Operation) -> OfflineTree.Operation {
    func path(_ path: PathKey) -> PathKey { PathKey(named(path.description)) }
    switch operation {
    case .clear(let at): return .clear(path(at))
    case .put(let at, let value): return .put(path(at), value)
    case .increment(let at, let number): return .increment(path(at), by: number)
    case .vote(let at, let voter, let choice): return .vote(path(at), voter: Key.of(named(voter.text)), choice: choice)
    case .priority(let at, let value): return .priority(path(at), value)
    case .file: return operation
    }
  }
}
