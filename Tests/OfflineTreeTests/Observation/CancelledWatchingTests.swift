import OfflineTree
import TestSupport
import Testing

/// The end of a task that watches, at the moment when something is told.
@Suite struct CancelledWatchingTests {
  @Test(.timeLimit(.minutes(60))) func `a task that watches can be cancelled while a commit is told`() async throws {
    let fleet = try Fleet(1, seed: 1)
    let database = fleet[0]
    for number in 0..<200 as Range<Int64> {
      let values = database.values(at: .root)
      let watching = Task { for try await _ in values {} }
      try await database.write { try $0.setValue(.int(number), at: try Path("x")) }
      watching.cancel()
      _ = await watching.result
    }
    #expect(try database.read { try $0.value(at: try Path("x")) } == 199)
  }
}
