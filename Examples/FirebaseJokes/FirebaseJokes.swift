import OfflineTree

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A day in a jokes app: two people sign up, tell jokes, and vote.
///
///     swift run FirebaseJokes ‹an empty folder›
@main
struct FirebaseJokes {
  static func main() async {
    guard CommandLine.arguments.count == 2 else {
      print("usage: FirebaseJokes FOLDER")
      exit(64)
    }
    do {
      try await play(DataService(home: CommandLine.arguments[1]))
    } catch {
      print("error: \(error)")
      exit(1)
    }
  }

  static func play(_ service: DataService) async throws {
    try await service.signUp(email: "anna@example.org", password: "correct horse 1", username: "anna")
    try await service.createNewJoke("I would tell you a UDP joke, but you might not get it.")
    try await service.createNewJoke("There are 10 kinds of people.")
    try await show(service)

    try await service.signUp(email: "ben@example.org", password: "battery staple 2", username: "ben")
    try await service.createNewJoke("To understand recursion, see recursion.")
    for joke in try await service.feed() where joke.author == "anna" { try await service.toggleVote(for: joke) }
    try await show(service)

    // A second tap takes the vote back.
    if let joke = try await service.feed().last { try await service.toggleVote(for: joke) }
    try await show(service)

    try await service.logIn(email: "anna@example.org", password: "correct horse 1")
    if let joke = try await service.feed().first { try await service.toggleVote(for: joke) }
    try await show(service)
  }

  /// The feed, as whoever is logged in sees it.
  static func show(_ service: DataService) async throws {
    print("— \(try service.currentUser().username) sees —")
    let votes = try await service.votes()
    for joke in try await service.feed() { print(joke.card(isVoted: votes.contains(joke.key ?? ""))) }
  }
}
