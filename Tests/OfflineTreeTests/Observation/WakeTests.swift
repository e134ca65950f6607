internal import Dispatch
import OfflineTree
import TestSupport
import Testing

/// Who is woken by a commit.
@Suite struct WakeTests {
  @Test func `of ten thousand observers on different jokes only those of touched jokes are woken`() async throws {
    let home = try ObservedHome()
    try await home.write { transaction in
      for number in 0..<10_000 { try transaction.setValue(.int(0), at: try Path("jokes/j\(number)/votes")) }
    }
    for number in 0..<10_000 { home.log.observe(home.ref("jokes/j\(number)"), [.value]) }
    await home.database.settleObservers()
    #expect(home.log.take().count == 10_000)
    let before = home.database.observerWakes
    // All of them in one commit, and as many closures as a group can have.
    try await home.write { transaction in
      for number in 0..<1_000 { try transaction.increment(try Path("jokes/j\(number * 7)/votes"), by: .int(1)) }
    }
    #expect(Set(home.log.take().map(\.key)) == Set((0..<1_000).map { "j\($0 * 7)" }))
    #expect(home.database.observerWakes - before == 1_000)
    for number in 0..<1_000 { vote(home.database.reference(withPath: "jokes/j\(number)/votes")) }
    try await home.database.write { _ in }
    await home.database.settleObservers()
    #expect(Set(home.log.take().map(\.key)) == Set((0..<1_000).map { "j\($0)" }))
    #expect(home.database.observerWakes - before == 2_000)
  }

  /// Returns at once.
  private func vote(_ ref: DatabaseReference) { ref.setValue(ServerValue.increment(1)) }

  @Test func `a peer's changes wake only whom they touch`() async throws {
    let home = try ObservedHome(devices: 2)
    try await home.set("jokes", #"{"a": {"votes": 1}, "b": {"votes": 1}}"#)
    home.log.observe(home.ref("jokes/a"), [.value])
    home.log.observe(home.ref("jokes/b"), [.value])
    await home.database.settleObservers()
    let before = home.database.observerWakes
    try await home.write(on: 1) { try $0.increment(try Path("jokes/a/votes"), by: .int(1)) }
    #expect(home.database.observerWakes - before == 1)
  }

  @Test func `a live query keeps up with many votes without running again`() async throws {
    let home = try ObservedHome()
    try await home.write { transaction in
      for number in 0..<1_000 {
        try transaction.setValue(.int(Int64(number)), at: try Path("jokes/j\(number)/votes"))
      }
    }
    let query = home.ref("jokes").queryOrdered(byChild: "votes").queryLimited(toLast: 20)
    home.log.observe(query, [.value])
    await home.database.settleObservers()
    var random = SeededRandom(seed: 7)
    for _ in 0..<20 {
      let voted = (0..<100).map { _ in Int.random(in: 0..<1_000, using: &random) }
      try await home.write { transaction in
        for number in voted {
          try transaction.increment(try Path("jokes/j\(number)/votes"), by: .int(Int64(number % 400)))
        }
      }
      let expected = try NewValue(any: try await query.getData().valueInExportFormat())
      #expect(home.log.entries.last?.value == expected)
    }
    #expect(home.database.observedQueryRuns == 1)
  }

  @Test func `observers that are slow hear of the newest, and nothing queues up`() async throws {
    let home = try ObservedHome()
    let queue = DispatchQueue(label: "test.slow")
    home.database.callbackQueue = queue
    home.log.observe(home.ref("x"), [.value, .childAdded])
    await home.database.settleObservers()
    _ = home.log.take()
    queue.suspend()
    for number in 0..<300 { try await home.database.write { try $0.setValue(.int(1), at: try Path("x/k\(number)")) } }
    queue.resume()
    await home.database.settleObservers()
    let entries = home.log.take()
    #expect(Set(entries.filter { $0.type == .childAdded }.map(\.key)).count == 300)
    #expect(entries.count { $0.type == .value } <= 3)
  }
}
