internal import OfflineTree
internal import Replicator

/// One person with one home.
struct DemoDevice: Sendable {
  let user: Key
  let database: Database

  /// The first act of a home, after which it can be written to: the space is there.
  func signUp() throws { _ = try Session(home: database.home).signUp(user, in: database) }

  func post(_ text: String) async throws -> Key {
    let user = user
    return try await database.write(as: user) { try Posting.post(text, author: user, in: $0) }
  }

  func vote(for id: Key) async throws {
    let user = user
    _ = try await database.write(as: user) { try Voting.toggle(id, user: user, in: $0).stands }
  }

  /// Meets others at an address once.
  func exchange(at address: RemoteAddress) async throws {
    let replicator = Replicator(database: database)
    let added = try replicator.addRemote(address)
    for result in try await replicator.syncOnce() {
      if let error = result.error { throw error }
    }
    try replicator.removeRemote(added)
  }

  /// Listens on a free port while `body` runs with its number.
  func listening(_ body: @escaping @Sendable (_ port: Int) async throws -> Void) async throws {
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let replicator = Replicator(database: database)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await replicator.run(listen: (host: "127.0.0.1", port: 0)) { event in
          if case .listening(let port) = event { continuation.yield(port) }
        }
        continuation.finish()
      }
      group.addTask {
        for await port in ports { return try await body(port) }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}
