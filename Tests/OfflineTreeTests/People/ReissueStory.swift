import OfflineTree
import TestSupport
import Testing

@testable import OfflineTree

/// ada writes on her device d1, offline, while d0 logs her out: what she wrote is void once they meet.
final class ReissueStory {
  let people: PeopleFleet
  let ada: Key
  /// An element that d0 added before.
  let known: Path
  /// The one that ada adds on d1.
  private(set) var added: Key?

  init(_ count: Int = 2) throws {
    people = try PeopleFleet(withSets: count)
    ada = try people.signUp(0).user.uid
    for index in 1..<count { try people.sync(0, index) }
    try people.signIn(1)
    let key = try people.fleet[0].write(as: ada) { try $0.push(ReissueStory.joke, to: try Path("own")) }
    known = try Path("own/\(key)")
    try people.sync(0, 1)
  }

  static let joke = NewValue(["text": "a joke", "votes": 0])

  func read<R>(_ index: Int, _ body: (ReadTransaction) throws -> R) throws -> R { try people.fleet[index].read(body) }

  func write<R: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> R) throws -> R {
    try people.fleet[1].write(as: ada, body)
  }

  /// What ada does, one change each.
  func act() throws {
    added = try write { try $0.push(ReissueStory.joke, to: try Path("own")) }
    let (ada, votes) = (ada, [try joke.appending(Path("votes")), try known.appending(Path("votes"))])
    for path in votes { try write { try $0.vote(path, voter: ada, choice: 1) } }
    try write { try $0.setValue(3, at: try Path("x")) }
    try write { try $0.increment(try Path("n"), by: .int(5)) }
  }

  var joke: Path {
    get throws { try Path("own").child(try #require(added)) }
  }

  /// Logs ada out on all devices, from d0, and in again there and on d1 when they have met.
  func logOutAndIn() throws {
    try people[0].signOut(everywhere: true)
    try people.sync(0, 1)
    try people.signIn(0)
    try people.signIn(1)
    try people.sync(0, 1)
  }

  func reissuable(_ index: Int = 1) throws -> [ReissuableChange] {
    try people.fleet[index].reissuable(as: people[index].currentUser?.uid)
  }

  /// Does again everything that can be.
  @discardableResult
  func reissueAll(_ index: Int = 1, replacesUnseen: Bool = false) throws -> [ReissueResult] {
    let ids = try reissuable(index).filter(\.isReissuable).map(\.id)
    return try people.fleet[index].reissue(ids, as: ada, replacesUnseen: replacesUnseen)
  }

  /// Everything that ada did counts once, on every device, increments aside.
  func expectOnce(sourceLocation: SourceLocation = #_sourceLocation) throws {
    for index in people.fleet.members.indices {
      try read(index) { transaction in
        #expect(try transaction.keys(at: Path("own")).count == 2, sourceLocation: sourceLocation)
        for joke in [try joke, known] {
          let votes = try transaction.value(at: joke)["votes"]
          #expect(votes == 1, "\(index) \(joke)", sourceLocation: sourceLocation)
        }
        #expect(try transaction.value(at: Path("x")) == 3, sourceLocation: sourceLocation)
        #expect(try transaction.value(at: Path("n")) == .null, sourceLocation: sourceLocation)
        #expect(try transaction.author(of: joke) == ada, sourceLocation: sourceLocation)
      }
    }
    try people.fleet.expectConverged(sourceLocation: sourceLocation)
  }
}
