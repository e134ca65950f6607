internal import Dispatch
import OfflineTree
import TestSupport
import Testing

/// What an observer is told, of local writes and of a peer's alike (firebase.md §2).
@Suite struct ObserverTests {
  @Test(arguments: [0, 1]) func `children are told with the key before each, and the value last`(
    _ device: Int
  ) async throws {
    let home = try ObservedHome(devices: 2)
    home.log.observe(home.ref("x"))
    await home.database.settleObservers()
    #expect(home.log.takeLines() == ["value"])
    try await home.set("x", #"{"c": 3, "a": 1, "b": 2}"#, on: device)
    #expect(home.log.takeLines() == ["added a nil", "added b a", "added c b", "value"])
    try await home.set("x", #"{"b": 2, "c": 3, "d": 4}"#, on: device)
    #expect(home.log.takeLines() == ["removed a nil", "added d c", "value"])
    try await home.set("x/a", "1", on: device)
    #expect(home.log.takeLines() == ["added a nil", "value"])
    try await home.set("x/e", "1", on: device)
    #expect(home.log.takeLines() == ["added e d", "value"])
  }

  @Test(arguments: [0, 1]) func `a child whose priority is another has moved and changed`(_ device: Int) async throws {
    let home = try ObservedHome(devices: 2)
    try await home.set(
      "x",
      #"{"a": {".value": 0, ".priority": 1}, "b": {".value": 0, ".priority": 2}, "c": {".value": 0, ".priority": 3}, "d": {".value": 0, ".priority": 4}}"#,
      on: device)
    home.log.observe(home.ref("x"))
    await home.database.settleObservers()
    #expect(home.log.takeLines() == ["added a nil", "added b a", "added c b", "added d c", "value"])
    for (key, priority, line) in [("d", 0.0, "d nil"), ("a", 4, "a c"), ("c", 0.5, "c d")] {
      try await home.write(on: device) { try $0.setPriority(.double(priority), at: try Path("x/\(key)")) }
      #expect(home.log.takeLines() == ["moved \(line)", "changed \(line)", "value"])
    }
  }

  @Test(arguments: [0, 1]) func `a whole set tells what went, what came, what moved and what changed in this order`(
    _ device: Int
  ) async throws {
    let home = try ObservedHome(devices: 2)
    try await home.set(
      "x",
      #"{"a": {".value": 1, ".priority": 1}, "c": {".value": 1, ".priority": 2}, "e": {".value": 1, ".priority": 3}, "f": {".value": 1, ".priority": 4}}"#,
      on: device)
    home.log.observe(home.ref("x"))
    await home.database.settleObservers()
    _ = home.log.take()
    try await home.set(
      "x",
      #"{"aa": {".value": 1, ".priority": 0}, "bb": {".value": 1, ".priority": 1}, "a": {".value": 1, ".priority": 5}, "e": {".value": 1, ".priority": 6}}"#,
      on: device)
    #expect(
      home.log.takeLines() == [
        "removed c nil", "removed f nil", "added aa nil", "added bb aa", "moved a bb", "moved e a", "changed a bb",
        "changed e a", "value",
      ])
  }

  @Test func `children are told in the order of the query, and move in it`() async throws {
    let home = try ObservedHome()
    try await home.set(
      "p",
      #"{"alex": {"n": 60}, "rob": {"n": 56}, "vassili": {"n": 55.5}, "tony": {"n": 52}, "greg": {"n": 52}}"#)
    home.log.observe(home.ref("p").queryOrdered(byChild: "n"))
    await home.database.settleObservers()
    #expect(
      home.log.takeLines() == [
        "added greg nil", "added tony greg", "added vassili tony", "added rob vassili", "added alex rob", "value",
      ])
    try await home.set("p/greg/n", "57")
    #expect(home.log.takeLines() == ["moved greg rob", "changed greg rob", "value"])
  }

  @Test func `numbers that are equal are no change`() async throws {
    let home = try ObservedHome()
    home.log.observe(home.ref("n"), [.value])
    home.log.observe(home.ref(""), [.childChanged])
    await home.database.settleObservers()
    for number in ["1", "1.0", "1", "1.1"] { try await home.set("n", number) }
    #expect(
      home.log.entries.map(\.value) == [
        .null, NewValue(Scalar.int(1)), NewValue(Scalar.double(1.1)), NewValue(Scalar.double(1.1)),
      ])
  }

  @Test func `a query with a limit takes up the next child when one leaves, and does not run again`() async throws {
    let home = try ObservedHome()
    try await home.set("o", #"{"a": {"n": 2}, "b": {"n": 0}, "c": {"n": 1}, "d": {"n": 3}}"#)
    home.log.observe(home.ref("o").queryOrdered(byChild: "n").queryLimited(toLast: 2))
    await home.database.settleObservers()
    #expect(home.log.takeLines() == ["added a nil", "added d a", "value"])
    try await home.set("o/e", #"{"n": 1.5}"#)
    #expect(home.log.takeLines() == [])
    try await home.set("o/f", #"{"n": 4}"#)
    #expect(home.log.takeLines() == ["removed a nil", "added f d", "value"])
    try await home.set("o/f", "null")
    #expect(home.log.takeLines() == ["removed f nil", "added a nil", "value"])
    #expect(home.database.observedQueryRuns == 1)
  }

  @Test func `a query with a limit is right however much is removed from it`() async throws {
    let home = try ObservedHome()
    try await home.write { transaction in
      for number in 0..<500 { try transaction.setValue(.int(Int64(number)), at: try Path("o/k\(number)")) }
    }
    let query = home.ref("o").queryOrderedByValue().queryLimited(toFirst: 3)
    home.log.observe(query, [.value])
    for start in stride(from: 0, to: 480, by: 10) {
      try await home.write { transaction in
        for number in start..<start + 10 { try transaction.removeValue(at: try Path("o/k\(number)")) }
      }
      let expected = try NewValue(any: try await query.getData().valueInExportFormat())
      #expect(home.log.entries.last?.value == expected)
      #expect(try await query.getData().childrenCount == 3)
    }
    // Not for each write, since more than three children are known.
    #expect(home.database.observedQueryRuns < 24)
  }

  @Test func `what is deeper is told before what is above it, in one go`() async throws {
    let home = try ObservedHome()
    home.log.observe(home.ref(""), [.value])
    home.log.observe(home.ref("a/b"), [.value])
    home.log.observe(home.ref("a"), [.value])
    await home.database.settleObservers()
    _ = home.log.take()
    try await home.set("a/b/c", "1")
    #expect(home.log.take().map(\.path) == ["a/b", "a", ""])
    try await home.update("a", ["b/c": "2", "d": "3"])
    #expect(home.log.take().map(\.path) == ["a/b", "a", ""])
  }

  @Test func `a child is removed with what it was, and its priority`() async throws {
    let home = try ObservedHome()
    try await home.set("x", #"{"a": {".value": "old", ".priority": 7}, "b": 1}"#)
    home.log.observe(home.ref("x"), [.childRemoved])
    await home.database.settleObservers()
    try await home.set("x/a", "null")
    let removed = try #require(home.log.take().first)
    #expect(removed.value == NewValue(content: .scalar(.string("old")), priority: .scalar(.int(7))))
  }

  @Test func `observers of one query share what is known, and each hears of what it asked for`() async throws {
    let home = try ObservedHome()
    let (first, second) = (ObserverLog(), ObserverLog())
    first.observe(home.ref("x"), [.childAdded])
    try await home.set("x/a", "1")
    second.observe(home.ref("x"), [.childAdded, .childChanged])
    await home.database.settleObservers()
    try await home.set("x", #"{"a": 2, "b": 1}"#)
    #expect(first.lines == ["added a nil", "added b a"])
    #expect(second.lines == ["added a nil", "added b a", "changed a nil"])
    #expect(home.database.observedQueries == 1)
  }

  @Test func `an observer that is removed hears no more, and leaves nothing behind`() async throws {
    let home = try ObservedHome()
    let handles = home.log.observe(home.ref("x"), [.value, .childAdded])
    home.log.observe(home.ref("x").queryLimited(toFirst: 1), [.value])
    home.log.observe(home.ref("x/y"), [.value])
    await home.database.settleObservers()
    _ = home.log.take()
    home.ref("x").removeObserver(withHandle: handles[0])
    home.ref("x").removeObserver(withHandle: handles[1])
    try await home.set("x/a", "1")
    #expect(home.log.take().map(\.type) == [.value])
    home.ref("x").removeAllObservers()
    try await home.set("x/y", "1")
    #expect(home.log.take().map(\.path) == ["x/y"])
    home.ref("x/y").removeAllObservers()
    await home.database.settleObservers()
    #expect(home.database.observedQueries == 0)
  }

  @Test func `one event is heard once, and its observer is gone`() async throws {
    let home = try ObservedHome()
    try await home.set("x", #"{"a": 1, "b": 2}"#)
    let log = home.log
    for type in DataEventType.allCases {
      home.ref("x").observeSingleEvent(of: type) { log.note(type, $0, $1, at: "x") }
    }
    await home.database.settleObservers()
    #expect(log.takeLines() == ["added a nil", "value"])
    for json in [#"{"a": 3, "b": 4}"#, #"{"a": 5}"#, "null"] { try await home.set("x", json) }
    #expect(log.takeLines().sorted() == ["changed a nil", "removed b nil"])
    // That of moves still waits.
    #expect(home.database.observedQueries == 1)
  }

  @Test func `a query that cannot be tells its canceller and nobody else`() async throws {
    let home = try ObservedHome()
    home.log.observe(home.ref("a").child("b.c"))
    home.log.observe(home.ref("a").queryLimited(toFirst: 1).queryLimited(toLast: 1), [.value])
    try await eventually("all six are told") { home.log.errors.count == 6 }
    #expect(home.log.errors.allSatisfy { ($0 as? TreeError)?.code == .invalidArgument })
    #expect(home.log.lines == [] && home.database.observedQueries == 0)
    await #expect(throws: TreeError.self) { try await home.ref("a").child("b.c").getData() }
  }

  @Test func `the commit of another process is told`() async throws {
    let home = try ObservedHome()
    home.log.observe(home.ref("x"))
    await home.database.settleObservers()
    let path = home.fleet.members[0].home
    await #expect(processExitsWith: .success) { [path = path as String] in
      let database = try Database.open(at: path, options: Database.Options(durability: .unsafeNoSync))
      try await database.write { try $0.setValue(.int(1), at: try Path("x/a")) }
      database.close()
    }
    try await eventually("it is told") { home.log.lines == ["value", "added a nil", "value"] }
  }

  @Test func `an observer does not keep the database`() async throws {
    let folder = try TemporaryFolder()
    weak var gone: Database?
    do {
      let database = try Database.create(
        at: "\(folder.path)/home", space: "test", recovery: RecoveryCode(environment: .system), deviceName: "d",
        options: Fleet.options)
      database.callbackQueue = DispatchQueue(label: "test.observers")
      database.reference(withPath: "x").observe(.value) { _ in }
      await database.settleObservers()
      gone = database
    }
    try await eventually("it is gone") { gone == nil }
  }
}
