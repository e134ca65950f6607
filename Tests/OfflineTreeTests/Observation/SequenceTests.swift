import OfflineTree
import TestSupport
import Testing

/// Events as sequences.
@Suite struct SequenceTests {
  @Test func `a sequence tells what there is and what comes, and coalesces what nobody asked for`() async throws {
    let home = try ObservedHome()
    try await home.set("x", #"{"a": 1}"#)
    var events = home.ref("x").events(of: .childAdded, .childChanged, .childRemoved, .value).makeAsyncIterator()
    #expect(try await events.next()?.snapshot.key == "a")
    #expect(try await events.next()?.type == .value)
    for number in 0..<100 { try await home.set("x/a", "\(number)") }
    try await home.set("x/b", "1")
    var told: [String] = []
    for _ in 0..<3 {
      let event = try #require(try await events.next())
      told.append("\(event.type) \(event.snapshot.key) \(event.previousSiblingKey ?? "nil")")
    }
    #expect(told == ["childAdded b a", "childChanged a nil", "value x nil"])
  }

  @Test func `a sequence waits for the commit that brings something`() async throws {
    let home = try ObservedHome()
    let ref = home.ref("x")
    let reading = Task {
      var values: [Int?] = []
      for try await snapshot in ref.snapshots {
        values.append(try snapshot.value as? Int)
        if values.last == 3 { break }
      }
      return values
    }
    for number in 1...3 {
      try await Task.sleep(for: .milliseconds(5))
      try await home.set("x", "\(number)")
    }
    let values = try await reading.value
    #expect(values.last == 3)
    #expect(values.compactMap { $0 } == values.compactMap { $0 }.sorted())
    try await eventually("nothing is observed any more") { home.database.observedQueries == 0 }
  }

  @Test func `a sequence ends with its task, and throws what is wrong with its query`() async throws {
    let home = try ObservedHome()
    let ref = home.ref("x")
    let waiting = Task {
      var count = 0
      for try await _ in ref.events(of: .value) { count += 1 }
      return count
    }
    try await eventually("it is observed") { home.database.observedQueries == 1 }
    waiting.cancel()
    #expect(try await waiting.value <= 1)
    try await eventually("it is not observed any more") { home.database.observedQueries == 0 }
    await #expect(throws: TreeError.self) {
      for try await _ in ref.child("a.b").snapshots {}
    }
  }

  @Test func `a single event is awaited`() async throws {
    let home = try ObservedHome()
    let ref = home.ref("x")
    #expect(try await ref.observeSingleEvent(of: .value).value == nil)
    let next = Task { try await ref.observeSingleEventAndPreviousSiblingKey(of: .childAdded) }
    try await eventually("it is observed") { home.database.observedQueries == 1 }
    try await home.set("x/a", "1")
    let (snapshot, previous) = try await next.value
    #expect(snapshot.key == "a" && previous == nil)
  }

  @Test func `values go through the same door`() async throws {
    let home = try ObservedHome()
    let values = home.database.values(at: try Path("x"))
    var iterator = values.makeAsyncIterator()
    #expect(try await iterator.next() == .null)
    try await home.set("y", "1")
    try await home.set("x", "1")
    #expect(try await iterator.next() == 1)
    #expect(home.database.observedQueries == 1)
  }
}
