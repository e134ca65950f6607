import Testing

@testable import OfflineTree

struct DatabaseTests {
  let folder: TemporaryFolder
  let options = Database.Options(durability: .unsafeNoSync)

  init() throws { folder = try TemporaryFolder() }

  private func makeSpace(_ name: String = "a") throws -> Database {
    try Database.create(
      at: "\(folder.path)/\(name)", space: "test",
      addOnlySets: [Genesis.AddOnlySet(path: try Path("jokes"), keys: .own)],
      flags: [Genesis.Flag(counter: "jokes/*/votes", template: "users/$voter/votes/*")], recovery: RecoveryCode(),
      deviceName: name, options: options)
  }

  private func exchange(_ from: Database, _ to: Database) throws {
    var outgoing = try from.outgoing(to: try to.clock())
    while true {
      let runs = try outgoing.next(maximumBytes: 1_000, from: from)
      if runs.isEmpty { break }
      let reception = try to.receive(runs, keepBlocked: true)
      #expect(reception.blocked.isEmpty)
      #expect(reception.refused.isEmpty)
    }
  }

  @Test func `what was set is read back, also after opening again`() throws {
    var database: Database? = try makeSpace()
    let path = try Path("people/ada")
    try database!.write { try $0.setValue(["name": "Ada", "born": 1815], at: path) }
    #expect(try database!.read { try $0.value(at: path) } == ["name": "Ada", "born": 1815])
    let hash = try database!.read { try $0.stateHash() }
    database!.close()
    database = nil
    let again = try Database.open(at: "\(folder.path)/a", options: options)
    #expect(!again.isCopy)
    #expect(try again.read { try $0.value(at: .root) } == ["people": ["ada": ["name": "Ada", "born": 1815]]])
    #expect(try again.read { try $0.stateHash() } == hash)
  }

  @Test func `a home that did not move is opened while somebody writes`() throws {
    let (path, options) = ("\(folder.path)/a", options)
    let database = try makeSpace()
    try database.write { try $0.setValue("before", at: .root) }
    let again = try database.write { transaction in
      try transaction.setValue("after", at: .root)
      let again = try Database.open(at: path, options: options)
      #expect(try again.read { try $0.value(at: .root) } == "before")
      return again
    }
    #expect(!again.isCopy)
    #expect(try again.read { try $0.value(at: .root) } == "after")
    try again.write { try $0.setValue("later", at: .root) }
    #expect(try database.read { try $0.value(at: .root) } == "later")
  }

  @Test func `two devices that posted and voted apart show the same feed`() throws {
    let first = try makeSpace()
    let second = try Database.join(
      at: "\(folder.path)/b", invite: try first.invite(), deviceName: "b", options: options)
    let jokes = try Path("jokes")
    #expect(throws: TreeError.self) {
      try second.write { try $0.setValue(1, at: try Path("x")) }
    }
    try exchange(first, second)
    let key = try first.write { transaction in
      try transaction.push(NewValue(["author": "ada", "jokeText": "knock", "votes": 0] as Value), to: jokes)
    }
    try exchange(first, second)
    let votes = try jokes.child(key).child("votes")
    try first.write { try $0.vote(votes, voter: try Key("ada"), choice: 1) }
    try second.write { try $0.vote(votes, voter: try Key("bob"), choice: 1) }
    try second.write { try $0.vote(votes, voter: try Key("ada"), choice: 1) }
    try exchange(first, second)
    try exchange(second, first)
    let tree = try first.read { try $0.value(at: .root) }
    #expect(tree["jokes"][key]["votes"] == 2)
    #expect(tree["users"]["ada"]["votes"][key] == true)
    #expect(try second.read { try $0.value(at: .root) } == tree)
    #expect(try first.clock() == second.clock())
    #expect(try first.read { try $0.stateHash() } == second.read { try $0.stateHash() })
    #expect(throws: TreeError.self) { try first.write { try $0.removeValue(at: jokes) } }
  }

  @Test func `an observer hears of a peer's change`() async throws {
    let database = try makeSpace()
    let path = try Path("x")
    var values = database.values(at: path).makeAsyncIterator()
    #expect(try await values.next() == .null)
    try await database.write { try $0.setValue(7, at: path) }
    let next = try await values.next()
    #expect(next == 7)
  }

  @Test func `a value at the root itself is verified like any other`() throws {
    let database = try makeSpace()
    try database.write { try $0.setValue(5, at: .root) }
    let report = try database.verify()
    #expect(report.isSound)
    #expect(report.registers == 1)
    try database.write { try $0.setValue(["a": 1], at: .root) }
    #expect(try database.verify().isSound)
  }

  @Test func `with relaxed durability nothing is handed out before it is on the disk`() throws {
    let database = try Database.create(
      at: "\(folder.path)/relaxed", space: "test", recovery: RecoveryCode(), deviceName: "a",
      options: Database.Options(durability: .relaxed))
    let path = try Path("x")
    for number in 1...3 {
      let before = database.synced.withLock { $0 }
      try database.write { try $0.setValue(.int(Int64(number)), at: path) }
      #expect(database.synced.withLock { $0 } == before)
      var outgoing = try database.outgoing(to: VectorClock([]))
      #expect(try !outgoing.next(maximumBytes: 1_000_000, from: database).isEmpty)
      let commit = try database.store.read { $0.identifier }
      #expect(database.synced.withLock { $0 } == commit)
    }
  }
}
