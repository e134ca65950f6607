internal import OfflineTree
internal import Replicator

/// One person on one device.
struct DemoDevice: Sendable {
  let database: Database

  var name: String { database.deviceName }

  func post(_ text: String) async throws {
    let user = try database.requireUser()
    _ = try await database.write(as: user.uid) { try Posting.post(text, author: user, in: $0) }
  }

  func vote(for id: Key) async throws {
    let user = try database.requireUser().uid
    _ = try await database.write(as: user) { try Voting.toggle(id, user: user, in: $0) }
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
