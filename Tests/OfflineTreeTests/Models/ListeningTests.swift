import Dispatch
import Testing

@testable import OfflineTree

/// Models and documents that are watched, and read from snapshots.
@Suite struct ListeningTests {
  let fixture: ModelFixture
  var database: Database { fixture.database }

  init() throws {
    fixture = try ModelFixture()
    database.callbackQueue = .global()
    database.warnings = { _ in }
  }

  @Test func `a listener hears of the document that is there and of each newer one`() async throws {
    let (told, tell) = AsyncStream.makeStream(of: String.self)
    var heard = told.makeAsyncIterator()
    let ada = database.document("users/ada")
    let listener = ada.addSnapshotListener { document, error in
      tell.yield(error.map { "\($0)" } ?? "\((try? document?.get("n")) as? Int ?? -1)")
    }
    #expect(await heard.next() == "-1")
    try await ada.setData(["n": 1])
    #expect(await heard.next() == "1")
    listener.remove()
    try await ada.setData(["n": 2])
    // One who comes later hears after whoever was there.
    let other = ada.addSnapshotListener { document, _ in
      tell.yield("other \((try? document?.get("n")) as? Int ?? -1)")
    }
    #expect(await heard.next() == "other 2")
    other.remove()
  }

  @Test func `a listener of a query hears of its documents under all its conditions`() async throws {
    let (told, tell) = AsyncStream.makeStream(of: String.self)
    var heard = told.makeAsyncIterator()
    try fixture.set(["a": ["city": "X", "age": 3], "b": ["city": "X", "age": 1], "c": ["city": "Y"]], at: "people")
    let query = database.collection("people").whereField("city", isEqualTo: "X").order(by: "age").limit(to: 2)
    let listener = query.addSnapshotListener { answer, error in
      let names = answer?.documents.map(\.documentID).joined(separator: " ")
      tell.yield(names ?? "\(error.map { "\($0)" } ?? "")")
    }
    #expect(await heard.next() == "b a")
    try await database.document("people/d").setData(["city": "X", "age": 2])
    #expect(await heard.next() == "b d")
    listener.remove()
    database.collection("people").limit(to: 0).addSnapshotListener { _, error in
      tell.yield((error as? TreeError)?.context ?? "")
    }
    #expect(await heard.next() == "a query is limited to 0 documents")
  }

  @Test func `models and documents come as sequences`() async throws {
    try fixture.set(["x": ["name": "Xenia"]], at: "artists")
    var artists = Artist.updates(of: Artist.reference(in: database).queryOrderedByKey()).makeAsyncIterator()
    #expect(try await artists.next()?.map(\.name) == ["Xenia"])
    var documents = database.document("artists/x").snapshots.makeAsyncIterator()
    #expect(try await documents.next()?.get("name") as? String == "Xenia")
    var answers = database.collection("artists").whereField("name", isEqualTo: "Yan").snapshots.makeAsyncIterator()
    #expect(try await answers.next()?.count == 0)
    try fixture.set("Yan", at: "artists/x/name")
    #expect(try await artists.next()?.map(\.name) == ["Yan"])
    #expect(try await documents.next()?.get("name") as? String == "Yan")
    #expect(try await answers.next()?.documents.map(\.documentID) == ["x"])
  }

  @Test func `a query's answer is what it found, as any type`() async throws {
    try fixture.set(["a": ["n": 3], "b": ["n": 1], "c": ["n": 2]], at: "things")
    let two = database.reference(withPath: "things").queryOrdered(byChild: "n").queryLimited(toLast: 2)
    let answer = try await two.getData()
    #expect(try answer.data(as: [String: [String: Int]].self) == ["a": ["n": 3], "c": ["n": 2]])
    let things = database.reference(withPath: "things")
    #expect(try await things.getData().data(as: [String: [String: Int]].self).count == 3)
    let ordered = try database.reference(withPath: "things").queryOrdered(byChild: "n").snapshot()
    #expect(try ordered.data(as: [Thing].self).map(\.key) == ["b", "c", "a"])
    #expect(try await things.child("none").getData().data(as: [Int].self) == [])
    try fixture.set(["0": "zero", "1": "one"], at: "list")
    #expect(try await database.reference(withPath: "list").getData().data(as: [String].self) == ["zero", "one"])
  }

  struct Thing: TreeModel {
    var node = ModelNode()
    var n: Int
  }

  struct Title: Codable, Equatable { var title: String }

  @Test func `of a large node only what a type asks for is read`() async throws {
    let text = String(repeating: "x", count: 100_000)
    try fixture.set(["title": "Small", "body": .string(text), "more": ["title": 5]], at: "large")
    let snapshot = try await database.reference(withPath: "large").getData()
    #expect(try snapshot.data(as: Title.self) == Title(title: "Small"))
    #expect(throws: DecodingError.self) { try snapshot.childSnapshot(forPath: "more").data(as: Title.self) }
  }

  @Test func `blocks hear what await would return`() async throws {
    try fixture.set(["x": ["name": "Xenia"], "y": ["name": "Yan"]], at: "artists")
    #expect(try await answer { Artist.all(in: database, completion: $0) }.map(\.name) == ["Xenia", "Yan"])
    #expect(try await answer { Artist.top(1, in: database, completion: $0) }.map(\.key) == ["x"])
    #expect(try await answer { Artist.from(key: "y", in: database, completion: $0) }?.name == "Yan")
    #expect(
      try await answer { Artist.where(\.name, equals: "Yan", in: database, completion: $0) }.map(\.key) == ["y"])
    #expect(try await answer { Artist.topWhere(\.name, equals: "Zoe", in: database, completion: $0) } == nil)
    let zoe = try await answer { Artist.insert(data: ["name": "Zoe"], in: database, completion: $0) }
    #expect(zoe.name == "Zoe" && zoe.key?.utf8.count == 20)
    var bare = Artist(node: ModelNode(database.reference(withPath: "murals/m1/artists/y")))
    #expect(try await answer { bare.getExternal(completion: $0) }.name == "Yan")
    bare.node = ModelNode()
    await #expect(throws: TreeError.self) { _ = try await answer { bare.getExternal(completion: $0) } }
    var artist = try #require(try await Artist.from(key: "x", in: database))
    let error: (any Error)? = await withCheckedContinuation { continuation in
      artist.add(key: "m1", forNode: "murals") { continuation.resume(returning: $0) }
    }
    #expect(error == nil)
    #expect(try fixture.value("artists/x/murals/m1") == true)
    let other: (any Error)? = await withCheckedContinuation { continuation in
      artist.delete { continuation.resume(returning: $0) }
    }
    #expect(other == nil)
    #expect(try fixture.value("artists/x").isNull)
    artist.node = ModelNode()
    let nowhere: (any Error)? = await withCheckedContinuation { continuation in
      artist.delete { continuation.resume(returning: $0) }
    }
    #expect((nowhere as? TreeError)?.code == .invalidArgument)
  }

  private func answer<Answer: Sendable>(
    _ ask: (@escaping @Sendable (Result<Answer, any Error>) -> Void) -> Void
  ) async throws -> Answer {
    try await withCheckedThrowingContinuation { continuation in ask { continuation.resume(with: $0) } }
  }
}
