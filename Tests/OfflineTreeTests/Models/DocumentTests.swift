import Dispatch
import Testing

@testable import OfflineTree

/// Collections and documents: another view of the same tree.
@Suite struct DocumentTests {
  let fixture: ModelFixture
  var database: Database { fixture.database }

  init() throws { fixture = try ModelFixture() }

  @Test func `a document is written, merged, updated and deleted`() async throws {
    let ada = database.collection("users").document("ada")
    try await ada.setData([
      "name": "Ada", "born": 1815, "address": ["city": "London", "zip": "W1"], "tags": ["a", "b"],
    ])
    #expect(try fixture.value("users/ada/tags") == ["a", "b"])
    try await ada.setData(["address": ["zip": "W2"], "born": FieldValue.delete(), "tags": ["c"]], merge: true)
    #expect(
      try fixture.value("users/ada") == ["name": "Ada", "address": ["city": "London", "zip": "W2"], "tags": ["c"]])
    try await ada.updateData([
      "address.city": "Paris", "visits": FieldValue.increment(2), "tags": FieldValue.arrayUnion(["c", "d"]),
      "seen": Timestamp(seconds: 5),
    ])
    try await ada.updateData(["visits": FieldValue.increment(3), "tags": FieldValue.arrayRemove(["c"])])
    #expect(
      try fixture.value("users/ada") == [
        "name": "Ada", "address": ["city": "Paris", "zip": "W2"], "tags": ["d"], "visits": 5, "seen": 5_000,
      ])
    try await ada.updateData(["address": ["city": "Rome"]])
    #expect(try fixture.value("users/ada/address") == ["city": "Rome"])
    try await ada.setData(["only": true])
    #expect(try fixture.value("users/ada") == ["only": true])
    try await ada.delete()
    #expect(try await !ada.getDocument().exists)
  }

  @Test func `what cannot be written says why`() async throws {
    let ada = database.document("users/ada")
    await #expect { try await ada.updateData(["a": 1]) } throws: { ($0 as? TreeError)?.code == .notFound }
    try await ada.setData(["a": 1])
    let wrong: [[String: Any]] = [["a": 1, "a.b": 2], ["": 1], ["a..b": 1], ["a/b": 1], ["a": Float.nan]]
    for fields in wrong {
      await #expect { try await ada.updateData(fields) } throws: { ($0 as? TreeError)?.code == .invalidArgument }
    }
    await #expect(throws: TreeError.self) { try await ada.setData(["a": FieldValue.delete()]) }
    #expect(try fixture.value("users/ada") == ["a": 1])
  }

  @Test func `a batch is one change`() async throws {
    let cities = database.collection("cities")
    try await cities.document("paris").setData(["people": 2, "name": "Paris"])
    try await cities.document("troy").setData(["people": 0])
    let before = try database.clock()
    let batch = database.batch()
      .setData(["name": "Rome", "people": 3], forDocument: cities.document("rome"))
      .updateData(["people": FieldValue.increment(1)], forDocument: cities.document("rome"))
      .setData(["people": 5], forDocument: cities.document("paris"), merge: true)
      .deleteDocument(cities.document("troy"))
    try batch.setData(from: City(name: "Oslo"), forDocument: cities.document("oslo"))
    #expect(try database.clock() == before)
    try await batch.commit()
    #expect(
      try fixture.value("cities") == [
        "rome": ["name": "Rome", "people": 4], "paris": ["name": "Paris", "people": 5], "oslo": ["name": "Oslo"],
      ])
    await #expect { try await batch.commit() } throws: { ($0 as? TreeError)?.code == .invalidArgument }
  }

  @Test func `a batch of which one write cannot be made writes nothing`() async throws {
    let cities = database.collection("cities")
    let missing = database.batch().setData(["a": 1], forDocument: cities.document("x"))
      .updateData(["a": 2], forDocument: cities.document("y"))
    await #expect { try await missing.commit() } throws: { ($0 as? TreeError)?.code == .notFound }
    let bad = database.batch().setData(["a": Float.nan], forDocument: cities.document("x"))
      .setData(["a": 1], forDocument: cities.document("y"))
    await #expect { try await bad.commit() } throws: { ($0 as? TreeError)?.code == .invalidArgument }
    let other = try ModelFixture()
    let foreign = database.batch().setData(["a": 1], forDocument: cities.document("x"))
      .deleteDocument(other.database.document("cities/y"))
    await #expect { try await foreign.commit() } throws: { ($0 as? TreeError)?.code == .invalidArgument }
    #expect(try fixture.value("cities") == .null)
  }

  struct City: Codable, Sendable, Equatable {
    var name: String
    var people: Int?
    var twins: [String] = []
  }

  @Test func `documents are values of types`() async throws {
    let cities = database.collection("cities")
    let rome = try await cities.addDocument(from: City(name: "Rome", people: 3))
    #expect(rome.documentID.utf8.count == 20)
    #expect(try await rome.getDocument(as: City.self) == City(name: "Rome", people: 3))
    try await rome.setData(from: City(name: "Roma"), merge: true)
    #expect(try await rome.getDocument().data(as: City.self) == City(name: "Roma", people: 3))
    await #expect { _ = try await cities.document("none").getDocument(as: City.self) } throws: {
      ($0 as? TreeError)?.code == .notFound
    }
  }

  @Test func `a document's fields are read as Firebase hands them out`() async throws {
    try fixture.set(["users": ["ada": ["name": "Ada", "tags": ["x", "y"], "deep": ["er": 1.0]], "n": 5]])
    let ada = try await database.document("users/ada").getDocument()
    let data = try #require(try ada.data())
    #expect(data["name"] as? String == "Ada" && data["tags"] as? [String] == ["x", "y"])
    #expect(try ada.get("deep.er") as? Int == 1 && ada.get("none") == nil)
    #expect(ada.documentID == "ada" && ada.reference.parent == database.collection("users"))
    let number = try await database.document("users/n").getDocument()
    #expect(errorCode { try number.data() } == .invalidArgument)
    #expect(try await database.document("users/none").getDocument().data() == nil)
  }

  private func people() throws -> CollectionReference {
    try fixture.set(
      [
        "a": ["age": 30, "name": "Ann", "city": "X", "tags": ["red"]],
        "b": ["age": 20, "name": "Bob", "city": "X", "tags": ["red", "blue"]],
        "c": ["age": 40.5, "name": "Cyd", "city": "Y"],
        "d": ["age": "old", "name": "Dee", "city": "X"],
        "e": ["name": "Eve", "city": "Y"],
        "f": ["age": true, "name": "Fay", "city": "Y"],
      ], at: "people")
    return database.collection("people")
  }

  static let queries: [(String, @Sendable (CollectionReference) -> CollectionQuery, String)] = [
    ("all", { $0.query }, "a b c d e f"),
    ("equal", { $0.whereField("age", isEqualTo: 20) }, "b"),
    ("equal to a whole double", { $0.whereField("age", isEqualTo: 20.0) }, "b"),
    ("without the field", { $0.whereField("age", isEqualTo: nil) }, "e"),
    ("not equal", { $0.whereField("age", isNotEqualTo: 20) }, "a c d f"),
    ("less", { $0.whereField("age", isLessThan: 30) }, "b"),
    ("at most", { $0.whereField("age", isLessThanOrEqualTo: 30) }, "b a"),
    ("greater", { $0.whereField("age", isGreaterThan: 20) }, "a c"),
    ("at least", { $0.whereField("age", isGreaterThanOrEqualTo: 20) }, "b a c"),
    ("between", { $0.whereField("age", isGreaterThan: 20).whereField("age", isLessThan: 40) }, "a"),
    ("texts", { $0.whereField("age", isGreaterThan: "a") }, "d"),
    ("booleans", { $0.whereField("age", isLessThanOrEqualTo: true) }, "f"),
    ("one of", { $0.whereField("age", in: [20, "old"]) }, "b d"),
    ("an element", { $0.whereField("tags", arrayContains: "red") }, "a b"),
    ("two fields", { $0.whereField("city", isEqualTo: "X").whereField("age", isGreaterThan: 20) }, "a"),
    ("ordered", { $0.order(by: "age") }, "f b a c d"),
    ("from the last down", { $0.order(by: "age", descending: true) }, "d c a b f"),
    ("the first of an order", { $0.order(by: "age").limit(to: 2) }, "f b"),
    ("the last of an order", { $0.order(by: "age").limit(toLast: 2) }, "c d"),
    (
      "greater, from the last down", { $0.whereField("age", isGreaterThan: 20).order(by: "age", descending: true) },
      "c a"
    ),
    (
      "equal, ordered by another", { $0.whereField("city", isEqualTo: "X").order(by: "age", descending: true) }, "d a b"
    ),
    (
      "equal, ordered by another, limited",
      { $0.whereField("city", isEqualTo: "X").order(by: "age", descending: true).limit(to: 1) }, "d"
    ),
    ("two orders", { $0.order(by: "city", descending: true).order(by: "name") }, "c e f a b d"),
    ("limited", { $0.limit(to: 2) }, "a b"),
    ("limited after a condition", { $0.whereField("tags", arrayContains: "red").limit(toLast: 1) }, "b"),
  ]

  @Test(arguments: queries.indices)
  func `queries find what they say`(_ index: Int) async throws {
    let (name, make, expected) = Self.queries[index]
    let found = try await make(people()).getDocuments()
    #expect(found.documents.map(\.documentID).joined(separator: " ") == expected, "\(name)")
  }

  @Test func `a query that cannot be throws when it is read`() async throws {
    let people = database.collection("people")
    let wrong = [
      people.limit(to: 0), people.whereField("a/b", isEqualTo: 1), people.whereField("a", isEqualTo: [1]),
      people.order(by: ""), database.collection("a.b").query,
    ]
    for query in wrong { await #expect(throws: TreeError.self) { _ = try await query.getDocuments() } }
  }

  @Test func `blocks are told in the order of the calls`() async throws {
    database.callbackQueue = .global()
    let ada = database.document("users/ada")
    let error: (any Error)? = await withCheckedContinuation { continuation in
      ada.setData(["n": 1])
      ada.updateData(["n": FieldValue.increment(1)])
      ada.setData(["m": 3], merge: true) { continuation.resume(returning: $0) }
    }
    #expect(error == nil)
    let document = await withCheckedContinuation { continuation in
      ada.getDocument { document, _ in continuation.resume(returning: document) }
    }
    #expect(try document?.snapshot.get() == ["n": 2, "m": 3])
  }
}
