import TestSupport
import Testing

@testable import OfflineTree

/// Keys of new children.
@Suite struct AutoIdTests {
  private static let sets = ["plain", "own"]

  @Test(arguments: sets) func `keys go up, also in one millisecond and when the clock steps back`(_ set: String) throws
  {
    let space = try QuerySpace(own: ["own"])
    var last = Key.of("-")
    for step in [0, 0, 0, 5, -1_000, 0, -50_000, 3] as [Int64] {
      space.clock.advance(by: step)
      let key = Key.of(try #require(space.ref(set).childByAutoId().key))
      #expect(last < key, "\(set) \(step)")
      #expect(PushID.milliseconds(of: key) != nil)
      last = key
    }
  }

  @Test(arguments: sets) func `a new child is written at once, deeper, later and by its name`(_ set: String)
    async throws
  {
    let space = try QuerySpace(own: ["own"])
    let reference = space.ref(set)
    try await reference.childByAutoId().setValue(["text": "at once"])
    try await reference.childByAutoId().child("text").setValue("deeper")
    let later = reference.childByAutoId()
    let name = try #require(reference.childByAutoId().key)
    try await reference.childByAutoId().setValue(["text": "between"])
    try await later.setValue(["text": "later"])
    try await space.database.reference().updateChildValues([
      "\(set)/\(name)": ["text": "by name"], "users/u/jokes/\(name)": true,
    ])
    let texts = try reference.snapshot().children.map { try $0.childSnapshot(forPath: "text").value as? String }
    #expect(texts == ["at once", "deeper", "later", "by name", "between"])
    #expect(try space.ref("users/u/jokes/\(name)").snapshot().value as? Bool == true)
    #expect(try space.database.verify().problems == [])
  }

  @Test(arguments: sets) func `documents under new keys are added in every form`(_ set: String) async throws {
    let space = try QuerySpace(own: ["own"])
    let collection = space.database.collection(set)
    try await collection.addDocument(data: ["text": "awaited"])
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      _ = collection.addDocument(data: ["text": "told"]) { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
    try await collection.document().setData(["text": "merged"], merge: true)
    try await space.database.batch().setData(["text": "together"], forDocument: collection.document()).commit()
    let texts = try space.ref(set).snapshot().children.map { try $0.childSnapshot(forPath: "text").value as? String }
    #expect(texts == ["awaited", "told", "merged", "together"])
    #expect(try space.database.verify().problems == [])
  }

  @Test func `another device accepts the keys of an own set`() async throws {
    let fleet = try Fleet(2, seed: 1)
    let joke = fleet[1].reference(withPath: "own").childByAutoId()
    try await joke.setValue(["text": "t", "votes": 0])
    try await joke.child("votes").setValue(ServerValue.increment(2))
    try fleet.send(from: 1, to: 0)
    let key = try #require(joke.key)
    #expect(try fleet[0].value(at: "own/\(key)") == ["text": "t", "votes": 2])
    await #expect(throws: TreeError.self) { try await joke.setValue(["text": "again"]) }
    await #expect(throws: TreeError.self) { try await fleet[0].reference(withPath: "own/free").setValue(1) }
    await #expect(throws: TreeError.self) {
      try await fleet[0].reference(
        withPath: "own/\(try #require(fleet[1].reference(withPath: "own").childByAutoId().key))"
      )
      .setValue(1)
    }
  }

  @Test func `a reference keeps what binds its key longer than the process remembers the others`() async throws {
    let space = try QuerySpace(own: ["own"])
    let kept = space.ref("own").childByAutoId()
    let name = try #require(space.ref("own").childByAutoId().key)
    space.database.ownKeys.withLock { keys in
      for number in 0..<OwnKeys.limit as Range<Int> {
        keys.insert(ElementBinding(element: PathKey("other/\(number)"), nonce: 0))
      }
    }
    try await kept.child("text").setValue("kept")
    #expect(try kept.child("text").snapshot().value as? String == "kept")
    await #expect(throws: TreeError.self) { try await space.ref("own/\(name)").setValue("forgotten") }
  }

  @Test func `a new child of what cannot be is refused when it is written`() async throws {
    let space = try QuerySpace()
    await #expect(throws: TreeError.self) { try await space.ref("a.b").childByAutoId().setValue(1) }
    await #expect(throws: TreeError.self) { try await space.ref(".info").childByAutoId().setValue(1) }
  }
}
