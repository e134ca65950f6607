import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// A running home that is told to stay by itself for a while.
@Suite struct OfflineTests {
  let homes: TestHomes
  let all: [Database]

  init() throws {
    homes = try TestHomes()
    all = try ["first", "second"].map { [homes] in try homes.make($0) }
  }

  private func run(_ index: Int, _ ports: AsyncStream<Int>.Continuation? = nil) -> Task<Void, any Error> {
    Task { [all] in
      let place: (host: String, port: Int)? = ports == nil ? nil : (host: "127.0.0.1", port: 0)
      try await Replicator(database: all[index]).run(listen: place) { event in
        if case .listening(let port) = event { ports?.yield(port) }
      }
    }
  }

  @Test(.timeLimit(.minutes(5)), arguments: [0, 1])
  func `a home that goes offline is connected to nobody, and connects again when it goes online`(
    _ index: Int
  ) async throws {
    let (ports, told) = AsyncStream.makeStream(of: Int.self)
    var runs = [run(0, told)]
    let port = try #require(await ports.first { _ in true })
    try Replicator(database: all[1]).addRemote(.tcp(host: "127.0.0.1", port: port))
    runs.append(run(1))
    try await eventually("both are connected") { all.allSatisfy(\.isConnected) }
    let ref = all[index].reference(withPath: "notes/seen")
    try await ref.onDisconnectSetValue(true)
    all[index].goOffline()
    try await eventually("nobody is connected") { all.allSatisfy { !$0.isConnected } }
    try await eventually("what was asked for is written") { try ref.snapshot().value as? Bool == true }
    try post("meanwhile", on: all[index])
    #expect(try noteCount(all[1 - index]) == 0)
    all[index].goOnline()
    try await eventually("both are connected again") { all.allSatisfy(\.isConnected) }
    try await eventually("both have it") { try noteCount(all[1 - index]) == 2 }
    for run in runs { run.cancel() }
    for run in runs { try await run.value }
    try await eventually("nobody is connected any more") { all.allSatisfy { !$0.isConnected } }
  }

  @Test(.timeLimit(.minutes(5))) func `folders pause while a home is offline`() async throws {
    for database in all { try Replicator(database: database).addRemote(.folder(path: homes.shared)) }
    all[0].goOffline()
    let runs = [run(0), run(1)]
    try post("a", on: all[0])
    try await eventually("the other one has published") { try !segments(below: homes.shared).isEmpty }
    #expect(try noteCount(all[1]) == 0)
    all[0].goOnline()
    try await eventually("it has arrived") { try noteCount(all[1]) == 1 }
    for run in runs { run.cancel() }
    for run in runs { try await run.value }
  }
}
