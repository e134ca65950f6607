import OfflineTree
import Testing

@testable import Replicator

/// Some homes meet over TCP, some in a folder, and one does both.
@Suite struct MixedRemotesTests {
  let homes: TestHomes
  let all: [Database]

  init() throws {
    homes = try TestHomes()
    all = try ["first", "second", "third"].map { [homes] in try homes.make($0) }
  }

  @Test(.timeLimit(.minutes(60)))
  func `a home with both kinds of remote passes on between them`() async throws {
    try Replicator(database: all[1]).addRemote(.folder(path: homes.shared))
    try Replicator(database: all[2]).addRemote(.folder(path: homes.shared))
    let (ports, told) = AsyncStream.makeStream(of: Int.self)
    var runs = [
      Task { [all] in
        try await Replicator(database: all[0]).run(listen: (host: "127.0.0.1", port: 0)) { event in
          if case .listening(let port) = event { told.yield(port) }
        }
      }
    ]
    let port = try #require(await ports.first { _ in true })
    try Replicator(database: all[1]).addRemote(.tcp(host: "127.0.0.1", port: port))
    for database in all[1...] { runs.append(Task { try await Replicator(database: database).run() }) }
    try await until { try Set(all.map { try $0.clock() }).count == 1 }
    for database in all { try post("from \(database.deviceName)", 5, on: database) }
    try await until { try Set(all.map { try $0.clock() }).count == 1 }
    try await until { try all.allSatisfy { try Replicator(database: $0).status().safeOn > 0 } }
    for run in runs { run.cancel() }
    for run in runs { try await run.value }
    try expectEqual(all)
    #expect(try all[2].read { try $0.keys(at: Path("notes")).count } == 15)
    let status = try Replicator(database: all[0]).status()
    #expect(status.incoming.map(\.identity.deviceKey) == [all[1].deviceKey])
  }

  @Test(.timeLimit(.minutes(60)))
  func `strangers at a home that runs have one line`() async throws {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let told = Monitor<[TreeError?]>([])
    let run = Task { [all] in
      try await Replicator(database: all[0]).run(listen: (host: "127.0.0.1", port: 0)) { event in
        switch event {
        case .listening(let number): port.yield(number)
        case .disconnected(nil, let error): told.withLock { $0.append(error) }
        default: break
        }
      }
    }
    let number = try #require(await ports.first { _ in true })
    let strangers = try (0..<20).map { _ in try Stranger(to: number) }
    for stranger in strangers { stranger.send(Array("GET / HTTP/1.1\r\n\r\n".utf8)) }
    try await until {
      for stranger in strangers { stranger.read() }
      return strangers.allSatisfy(\.isClosed)
    }
    try await until { !told.withLock(\.isEmpty) }
    run.cancel()
    try await run.value
    // Two causes at most: some spoke something else than TLS, and some had to give way.
    let errors = told.withLock(\.self)
    #expect(errors.count <= 2 && errors.allSatisfy { $0?.context.hasPrefix("127.0.0.1: ") == true })
  }

  @Test(.timeLimit(.minutes(60)))
  func `one exchange with a folder and a device that is away does what it can`() async throws {
    let replicator = Replicator(database: all[0])
    try replicator.addRemote(.tcp(host: "127.0.0.1", port: 1))
    try replicator.addRemote(.folder(path: homes.shared))
    let results = try await replicator.syncOnce()
    #expect(results.map(\.error?.code) == [.unavailable, nil])
    #expect(try results[1].report.sent == changeCount(all[0]))
  }

  private func until(_ condition: () throws -> Bool) async throws {
    while try !condition() { try await Task.sleep(for: .milliseconds(20)) }
  }
}
