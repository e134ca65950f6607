import Dispatch
import Testing

@testable import OfflineTree

/// The code in the documentation, built and run.
@Suite struct SampleTests {
  let fixture: ModelFixture
  var database: Database { fixture.database }

  init() throws {
    fixture = try ModelFixture()
    database.callbackQueue = .global()
    database.warnings = { _ in }
  }

  @Test func `a database is made, and opened again`() throws {
    let folder = "\(fixture.folder.path)/b"
    // sample
    let code = RecoveryCode()
    let database = try Database.create(at: folder, space: "photos", recovery: code, deviceName: "laptop")
    print("Write this on paper:", code.text)
    print("Let others in with this:", try database.invite().line)
    // end
    database.close()
    let open = {
      // sample
      let database = try Database.open(at: folder)
      // end
      return database
    }
    #expect(try open().deviceName == "laptop")
  }

  @Test func `values are written and read`() async throws {
    // sample
    let settings = database.reference(withPath: "settings")
    try await settings.setValue(["theme": "dark", "columns": 2])
    try await settings.child("theme").setValue("light")
    try await database.reference().updateChildValues(["settings/columns": 3, "visits": ServerValue.increment(1)])

    let snapshot = try await settings.getData()
    let theme = try snapshot.childSnapshot(forPath: "theme").value as? String
    // end
    #expect(theme == "light")
    #expect(try fixture.value("visits") == 1)
    // sample
    try await database.write { transaction in
      let columns = try Path("settings/columns")
      if try transaction.scalar(at: columns) == .int(3) { try transaction.setValue("wide", at: columns) }
    }
    // end
    #expect(try fixture.value("settings/columns") == "wide")
  }

  @Test func `blocks instead of await`() async throws {
    await withCheckedContinuation { continuation in
      let done: @Sendable () -> Void = { continuation.resume() }
      // sample
      let title = database.reference(withPath: "title")
      title.setValue("Hello")
      title.setValue("Hello again") { error, _ in
        if let error { print("not stored: \(error)") }
        done()
      }
      // end
    }
    #expect(try fixture.value("title") == "Hello again")
  }

  @Test func `what merges well`() async throws {
    let key = "x"
    // sample
    try await database.reference(withPath: "photos/\(key)/likes").setValue(ServerValue.increment(1))
    try await database.reference(withPath: "photos/\(key)/people/ada").setValue(true)
    let comment = database.reference(withPath: "photos/\(key)/comments").childByAutoId()
    try await comment.setValue("Lovely!")
    // end
    #expect(try fixture.value("photos/x/likes") == 1)
    // sample
    for conflict in try database.read({ try $0.conflicts(at: try Path("photos")) }) {
      print("not shown at \(conflict.path): \(conflict)")
    }
    // end
  }

  @Test func `queries`() async throws {
    try fixture.set(
      [
        "photos": [
          "a": ["likes": 3, "title": "A"], "b": ["likes": 5, "title": "B"], "c": ["likes": 1, "title": "C"],
        ]
      ])
    // sample
    try database.addIndex(at: "photos", by: "likes")
    let photos = database.reference(withPath: "photos")
    let best = photos.queryOrdered(byChild: "likes", descending: true).queryLimited(toFirst: 20)
    for photo in try await best.getData().children {
      print(photo.key, try photo.childSnapshot(forPath: "likes").value ?? 0)
    }
    // end
    #expect(try await best.getData().children.map(\.key) == ["b", "a", "c"])
    // sample
    let page = try await photos.queryOrdered(byChild: "likes").queryLimited(toFirst: 2).getData().children
    if let last = page.map({ $0 }).last {
      let next = photos.queryOrdered(byChild: "likes").query(after: last).queryLimited(toFirst: 2)
      for photo in try await next.getData().children { print(photo.key) }
    }
    // end
  }

  @Test func `observers`() async throws {
    let (told, tell) = AsyncStream.makeStream(of: String.self)
    var heard = told.makeAsyncIterator()
    try fixture.set(["photos": ["a": ["likes": 3], "b": ["likes": 5]]])
    // sample
    let photos = database.reference(withPath: "photos")
    let handle = photos.observe(.childAdded) { photo in
      tell.yield(photo.key)
    }
    // end
    #expect(await [heard.next(), heard.next()] == ["a", "b"])
    // sample
    photos.removeObserver(withHandle: handle)
    // end
    let watch = Task { [database] in
      // sample
      let best = database.reference(withPath: "photos").queryOrdered(byChild: "likes").queryLimited(toLast: 1)
      for try await snapshot in best.snapshots {
        for photo in try snapshot.children { tell.yield("best: \(photo.key)") }
      }
      // end
    }
    #expect(await heard.next() == "best: b")
    try await database.reference(withPath: "photos/a/likes").setValue(9)
    #expect(await heard.next() == "best: a")
    watch.cancel()
  }

  @Test func `values of types`() async throws {
    // sample
    let place = database.reference(withPath: "settings")
    try await place.setValue(from: Settings(theme: "dark"))
    let settings = try await place.getData().data(as: Settings.self)
    // end
    #expect(settings == Settings(theme: "dark"))
  }

  @Test func `models`() async throws {
    // sample
    let ada = try await Person.insert(Person(name: "Ada"), in: database)
    let new = Photo(title: "Sunset", takenBy: try Link(to: ada), tags: ["sky"])
    var photo = try await Photo.insert(new, in: database)

    try await photo.set(\.title, to: "Sunrise")
    try await photo.increment(\.likes, by: 1)
    try await photo.add(Link(to: ada), to: \.people)

    let everything = try await Photo.all(in: database)
    let liked = try await Photo.where(\.likes, equals: 1, in: database)
    let best = try await Photo.top(10, by: \.likes, descending: true, in: database)
    let people = try await photo.people.resolve()
    // end
    #expect(everything.map(\.title) == ["Sunrise"] && liked.count == 1 && best.count == 1)
    #expect(people.map(\.name) == ["Ada"] && everything[0].addedAt != nil)
    #expect(try await Lenient.all(in: database).map(\.title) == ["Sunrise"])
    let database = database
    let watch = Task {
      // sample
      let newest = Photo.reference(in: database).queryOrderedByKey(descending: true).queryLimited(toFirst: 20)
      for try await photos in Photo.updates(of: newest) {
        print(photos.map(\.title))
      }
      // end
    }
    watch.cancel()
    try await photo.delete()
    #expect(try await Photo.all(in: database).count == 0)
  }

  @Test func `documents`() async throws {
    // sample
    let ada = database.collection("users").document("ada")
    try await ada.setData(["name": "Ada", "born": 1815])
    try await ada.setData(["address": ["city": "London"]], merge: true)
    try await ada.updateData(["address.city": "Paris", "visits": FieldValue.increment(1)])

    let found = try await database.collection("users")
      .whereField("address.city", isEqualTo: "Paris").order(by: "born", descending: true).limit(to: 10).getDocuments()
    for document in found.documents { print(document.documentID, try document.data() ?? [:]) }
    // end
    #expect(found.documents.map(\.documentID) == ["ada"])
  }
}
