import OfflineTree

/// The app's door to its data: accounts, jokes, votes.
struct DataService: Sendable {
  let database: Database
  let auth: Auth

  /// Jokes can be added and never changed, and a user's votes are a view of the count: one each, whatever the device.
  init(home: String) throws {
    database = try Database.create(
      at: home, space: "jokes", addOnlySets: [Genesis.AddOnlySet(path: try Path("jokes"), keys: .own)],
      flags: [Genesis.Flag(counter: "jokes/*/votes", template: "users/$voter/votes/*")], recovery: RecoveryCode(),
      deviceName: "laptop")
    auth = Auth(database)
  }

  var jokesRef: DatabaseReference { database.reference(withPath: "jokes") }

  func currentUser() throws -> User {
    guard let user = try auth.currentUser else { throw TreeError(.refused, "nobody is logged in") }
    return user
  }

  func currentUserRef() throws -> DatabaseReference {
    database.reference(withPath: "users").child(try currentUser().uid.text)
  }

  // MARK: Accounts

  func signUp(email: String, password: String, username: String) async throws {
    var bytes = Array(password.utf8)
    _ = try await auth.createUser(withEmail: email, password: try Password(&bytes), username: username)
  }

  func logIn(email: String, password: String) async throws {
    var bytes = Array(password.utf8)
    _ = try await auth.signIn(withEmail: email, password: try Password(&bytes))
  }

  // MARK: Jokes

  func createNewJoke(_ text: String) async throws {
    let joke = Joke(author: try currentUser().username, jokeText: text)
    try await jokesRef.childByAutoId().setValue(from: joke)
  }

  /// The newest first.
  func feed(limit: UInt = 20) async throws -> [Joke] {
    try await Joke.models(in: jokesRef.queryOrderedByKey(descending: true).queryLimited(toFirst: limit))
  }

  // MARK: Votes

  /// The keys of the jokes that the user has voted for.
  func votes() async throws -> Set<String> {
    let votes = try await currentUserRef().child("votes").getData()
    return Set(try votes.data(as: [String: Bool].self).keys)
  }

  /// Votes, or takes the vote back. The count follows by itself.
  func toggleVote(for joke: Joke) async throws {
    guard let key = joke.key else { return }
    let vote = try currentUserRef().child("votes").child(key)
    if try await votes().contains(key) { try await vote.removeValue() } else { try await vote.setValue(true) }
  }
}
