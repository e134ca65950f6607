import OfflineTree
import TestSupport
import Testing

/// Something that ben might send, and why it is void.
struct JokesLie: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Parts of the reasons, sorted as the reasons are; none where it stands and does nothing.
  let reasons: [String]
  /// What of it shows among ben's own.
  let added: String
  let tell: @Sendable (inout JokesStory) throws -> Void

  init(
    _ name: String, _ reasons: [String], added: String = "", tell: @escaping @Sendable (inout JokesStory) throws -> Void
  ) {
    (testDescription, self.reasons, self.added, self.tell) = (name, reasons, added, tell)
  }

  static let stamp = "its stamp is not above what it had seen, or too far above"
  private static let unbound = "whose key is not bound to its device"
  private static let voter = "the voter is not who is signed in"

  static let all: [JokesLie] = votes + jokes + people + acts

  private static let votes = [
    JokesLie("votes in another's name", [voter]) {
      try $0.lie([.vote("jokes/JOKE/votes", voter: "ANN", choice: 1)])
    },
    JokesLie("votes as another", [SessionTests.notLoggedIn]) {
      try $0.lie([.vote("jokes/JOKE/votes", voter: "ANN", choice: 1)], as: $0.story.ann.user)
    },
    JokesLie("votes as nobody", [voter]) {
      try $0.lie([.vote("jokes/JOKE/votes", voter: "ANN", choice: 1)], as: .some(nil))
    },
    JokesLie("votes twice", []) { try $0.lie([.vote("jokes/JOKE/votes", voter: "BEN", choice: 1)]) },
    JokesLie("votes again from a copy of the home", []) {
      try $0.fork([.vote("jokes/JOKE/votes", voter: "BEN", choice: 1)])
    },
    JokesLie("increments the votes", ["the rules do not let it increment"]) {
      try $0.lie([.increment("jokes/JOKE/votes", by: 10)])
    },
    JokesLie("sets the votes", [unbound]) { try $0.lie([.put("jokes/JOKE/votes", 100)]) },
    JokesLie("writes flags, own ones and others'", ["the rules do not let it write", "the rules do not let it write"]) {
      try $0.lie([.put("users/BEN/votes/x", .bool(true))])
      try $0.lie([.put("users/ANN/votes/JOKE", .bool(true))])
    },
  ]

  private static let jokes = [
    JokesLie("edits a joke", [unbound]) { try $0.lie([.put("jokes/JOKE/jokeText", .string("mine"))]) },
    JokesLie("deletes a joke", ["the rules do not let it write"]) { try $0.lie([.clear("jokes/JOKE")]) },
    JokesLie("deletes all", ["the rules do not let it write", "the rules do not let it write"]) {
      try $0.lie([.clear("jokes")])
      try $0.lie([.clear("")])
    },
    JokesLie("takes a joke's key over", [unbound, stamp]) {
      let joke = JokesStory.joke($0.key, author: "ben")
      try $0.lie(joke, bindings: [ElementBinding(element: PathKey("jokes/\($0.key)"), nonce: 7)])
      try $0.lie(joke, stamp: .at(1))
    },
    JokesLie("imports another's key", [unbound]) {
      try $0.lie(JokesStory.joke($0.key, author: "ben"), isImport: true)
    },
    JokesLie("posts under another's name", ["/jokes/$joke/author"]) { jokes in
      let (key, binding) = JokesStory.newKey(jokes.story.space.id, jokes.story.second, number: 9)
      try jokes.lie(JokesStory.joke(key, author: "ann"), bindings: [binding])
    },
    JokesLie("posts as another", [SessionTests.notLoggedIn]) { jokes in
      let (key, binding) = JokesStory.newKey(jokes.story.space.id, jokes.story.second, number: 9)
      try jokes.lie(JokesStory.joke(key, author: "ann"), as: jokes.story.ann.user, bindings: [binding])
    },
    JokesLie("posts a joke with votes", ["/jokes/$joke/votes"]) { jokes in
      let (key, binding) = JokesStory.newKey(jokes.story.space.id, jokes.story.second, number: 9)
      try jokes.lie(JokesStory.joke(key, author: "ben", votes: 5), bindings: [binding])
    },
    JokesLie("gives a joke a priority", ["the rules do not let it write"]) {
      try $0.lie([.priority("jokes/JOKE", .int(1))])
    },
  ]

  private static let people = [
    JokesLie("writes another's profile", ["the rules do not let it write"]) {
      try $0.lie([.put("users/ANN/username", .string("ben"))])
    },
    JokesLie("takes another's name in the own profile", ["/users/$uid/username"]) {
      try $0.lie([.put("users/BEN/username", .string("ann"))])
    },
    JokesLie("replays another's log-in", ["the user's key has not signed the log-in"]) {
      try $0.act([$0.story.ann.logIn(on: $0.story.first.device)])
    },
    JokesLie("replays another's account", ["the user's key has not signed the account"]) {
      try $0.act([$0.story.ann.signUp(on: $0.story.first.device)])
    },
    JokesLie("logs another out", ["its device may not end the session"]) {
      try $0.act([$0.story.ann.logOut(of: $0.story.first.device)])
    },
    JokesLie("ends another's account", ["its device may not end the account"]) {
      try $0.act([.end(.userKey(user: $0.story.ann.user, $0.story.ann.key.publicKey))])
    },
    JokesLie("sets another's password", ["neither the account's key nor its recovery code has signed it"]) {
      try $0.act([$0.story.ann.rekey(to: TestPerson.key("x"), by: $0.story.ben.key, on: $0.story.second.device)])
    },
    JokesLie("signs up without end", Array(repeating: "too many accounts", count: 3)) { jokes in
      let people = (0..<10).map { TestPerson("p\($0)", space: jokes.story.space.id) }
      for person in people { try jokes.act([person.signUp(on: jokes.story.second.device)]) }
    },
  ]

  private static let acts = [
    JokesLie("sets rules", ["its device may not set rules"]) {
      try $0.act([.rules(Array(#"{"rules": {".write": true}}"#.utf8))])
    },
    JokesLie("vouches for its own email", ["its device may not vouch for people"]) {
      try $0.act([.vouch(user: $0.story.ben.user, email: $0.story.ben.email)])
    },
    JokesLie("hides a joke", ["its device may not moderate"]) {
      try $0.act([.moderate(PathKey("jokes/\($0.key)"), isHidden: true)])
    },
    JokesLie("takes another's joke back", []) {
      try $0.act([.retract(PathKey("jokes/\($0.key)"))], as: $0.story.ben.user)
    },
    JokesLie("takes another's joke back as they", [SessionTests.notLoggedIn]) {
      try $0.act([.retract(PathKey("jokes/\($0.key)"))], as: $0.story.ann.user)
    },
    JokesLie("makes itself an owner", ["only the founder's device makes owners"]) {
      try $0.act([.grant(device: $0.story.second.deviceKey, .owner)])
    },
  ]
}
