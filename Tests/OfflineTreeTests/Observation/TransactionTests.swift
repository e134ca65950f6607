import OfflineTree
import TestSupport
import Testing

/// Transactions, and the data they work on.
@Suite struct TransactionTests {
  @Test func `a transaction reads what is there and stores what follows from it`() async throws {
    let home = try ObservedHome()
    let ref = home.ref("n")
    for expected in 1...3 {
      let (isCommitted, snapshot) = try await ref.runTransactionBlock { data in
        data.value = (data.value as? Int ?? 0) + 1
        return .success(withValue: data)
      }
      #expect(isCommitted)
      #expect(try snapshot.value as? Int == expected)
    }
  }

  @Test func `a transaction that is aborted stores nothing, and tells what is there`() async throws {
    let home = try ObservedHome()
    try await home.set("n", "5")
    let clock = try home.database.clock()
    let (isCommitted, snapshot) = try await home.ref("n").runTransactionBlock { data in
      data.value = 6
      return .abort()
    }
    #expect(!isCommitted)
    #expect(try snapshot.value as? Int == 5)
    #expect(try home.database.clock() == clock)
  }

  @Test func `a transaction leaves alone what it does not change`() async throws {
    let home = try ObservedHome(devices: 2)
    try await home.set("joke", #"{"text": "old", "stars": {"u1": true}, "count": 1}"#)
    // Both without knowing of each other.
    try await home.fleet[1].write { try $0.setValue(.string("new"), at: try Path("joke/text")) }
    _ = try await home.ref("joke").runTransactionBlock { data in
      data.childData(byAppendingPath: "stars/u2").value = true
      data.childData(byAppendingPath: "stars/u1").value = nil
      data.childData(byAppendingPath: "count").value = ServerValue.increment(1)
      return .success(withValue: data)
    }
    try home.fleet.send(from: 1, to: 0)
    let value = try await home.ref("joke").getData().get()
    #expect(value == (try home.database.read { try $0.value(at: try Path("joke")) }))
    #expect(value["text"] == "new")
    #expect(value["count"] == 2)
    #expect(value["stars"] == Value(members: [(key: .of("u2"), value: true)]))
  }

  @Test func `a transaction takes the priority away unless it sets one`() async throws {
    let home = try ObservedHome()
    try await home.ref("x").setValue(1, andPriority: 5)
    _ = try await home.ref("x").runTransactionBlock { data in
      data.value = 2
      data.priority = (data.priority as? Int ?? 0) + 1
      return .success(withValue: data)
    }
    #expect(try await home.ref("x").getData().priority as? Int == 1)
    _ = try await home.ref("x").runTransactionBlock { data in
      data.value = 3
      return .success(withValue: data)
    }
    #expect(try await home.ref("x").getData().priority == nil)
    _ = try await home.ref("").runTransactionBlock { data in
      data.childData(byAppendingPath: "x").priority = "p"
      return .success(withValue: data)
    }
    #expect(try await home.ref("x").getData().priority as? String == "p")
  }

  @Test func `what cannot be stored makes a transaction fail, and stores nothing`() async throws {
    let home = try ObservedHome()
    struct Odd {}
    for set in [
      { $0.value = Odd() }, { $0.value = Double.nan }, { $0.childData(byAppendingPath: "a.b").value = 1 },
      { $0.childData(byAppendingPath: Array(repeating: "a", count: 40).joined(separator: "/")).value = 1 },
    ] as [@Sendable (MutableData) -> Void] {
      await #expect(throws: TreeError.self) {
        try await home.ref("x").runTransactionBlock { data in
          set(data)
          return .success(withValue: data)
        }
      }
    }
    #expect(try await !home.ref("x").getData().exists())
    await #expect(throws: TreeError.self) {
      try await home.ref(".info/connected").runTransactionBlock { .success(withValue: $0) }
    }
  }

  @Test func `a completion hears of the outcome, and without one the failures do`() async throws {
    let home = try ObservedHome()
    let outcomes = Monitor<[String]>([])
    home.database.failures = { error, path in
      outcomes.withLock { $0.append("\((error as? TreeError)?.code == .invalidArgument) \(path)") }
    }
    home.ref("x").runTransactionBlock(
      { data in
        data.value = 1
        return .success(withValue: data)
      },
      andCompletionBlock: { error, isCommitted, snapshot in
        outcomes.withLock { $0.append("\(error == nil) \(isCommitted) \((try? snapshot?.value as? Int) ?? 0)") }
      }, withLocalEvents: false)
    storeInfinity(home.ref("y"))
    try await eventually("both are told") { outcomes.withLock { Set($0) } == ["true true 1", "true y"] }
  }

  /// Returns at once.
  private func storeInfinity(_ ref: DatabaseReference) {
    ref.runTransactionBlock { data in
      data.value = Double.infinity
      return .success(withValue: data)
    }
  }

  @Test func `data shows children, and whether there are any`() async throws {
    let home = try ObservedHome()
    try await home.set("x", #"{"b": {"c": 1}, "a": [true, "t"]}"#)
    let seen = Monitor<[String]>([])
    _ = try await home.ref("x").runTransactionBlock { data in
      let keys = data.children.map { $0.key ?? "" }
      let shown =
        "\(data.key ?? "") \(keys) \(data.childrenCount) \(data.hasChildren()) \(data.hasChild(atPath: "b/c")) "
        + "\(data.hasChild(atPath: "b/d")) \(data.childData(byAppendingPath: "a").value as? [AnyHashable] == [true, "t"])"
      seen.withLock { $0 = [shown] }
      return .abort()
    }
    #expect(seen.withLock { $0 } == [#"x ["a", "b"] 2 true true false true"#])
  }
}
