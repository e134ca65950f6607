import Testing

@testable import OfflineTree

/// Models: typed nodes that know where they are.
@Suite struct ModelTests {
  let fixture: ModelFixture
  var database: Database { fixture.database }

  init() throws { fixture = try ModelFixture() }

  private func fill() throws {
    try fixture.set(
      [
        "artists": ["x": ["name": "Xenia", "style": "bold"], "y": ["name": "Yan"]],
        "murals": [
          "m1": [
            "name": "Whale", "year": 1999, "isLit": true, "kind": "roof", "address": ["street": "A", "number": 1],
            "artists": ["y": true, "x": true, "gone": true],
            "images": ["i1": ["location": "whale.jpg"], "i2": ["caption": "back"]], "tags": ["sea", "blue"],
          ],
          "m2": [
            "name": "Ape", "year": 2005, "isLit": false, "kind": "wall", "address": ["street": "B", "number": 2],
          ],
          "m3": ["name": "Cat", "year": 2001, "isLit": true, "kind": "wall", "address": ["street": "A", "number": 3]],
        ],
      ])
  }

  @Test func `all are read in key order and know where they are`() async throws {
    try fill()
    let murals = try await Mural.all(in: database)
    #expect(murals.map(\.name) == ["Whale", "Ape", "Cat"] && murals.map(\.key) == ["m1", "m2", "m3"])
    let whale = try #require(murals.first)
    #expect(whale.node.reference == database.reference(withPath: "murals/m1"))
    #expect(whale.tags == ["sea", "blue"] && whale.kind == .roof && whale.address.number == 1)
    #expect(whale.images.map(\.key) == ["i1", "i2"] && whale.images.map(\.location) == ["whale.jpg", nil])
    #expect(whale.images[0].node.reference == database.reference(withPath: "murals/m1/images/i1"))
    #expect(murals[1].images == [] && murals[1].artists == [] && murals[1].tags == [])
  }

  @Test func `one is read by its key, and none is nil`() async throws {
    try fill()
    #expect(try await Mural.from(key: "m2", in: database)?.name == "Ape")
    #expect(try await Mural.from(key: "m9", in: database) == nil)
    await #expect(throws: TreeError.self) { _ = try await Mural.from(key: "a.b", in: database) }
  }

  @Test func `the top ones are the first in key order or in the order of a property`() async throws {
    try fill()
    #expect(try await Mural.top(2, in: database).map(\.name) == ["Whale", "Ape"])
    #expect(try await Mural.top(2, by: \.year, in: database).map(\.name) == ["Whale", "Cat"])
    #expect(try await Mural.top(2, by: \.year, descending: true, in: database).map(\.name) == ["Ape", "Cat"])
  }

  @Test func `those with a value of a property are found`() async throws {
    try fill()
    #expect(try await Mural.where(\.isLit, equals: true, in: database).map(\.key) == ["m1", "m3"])
    #expect(try await Mural.where(\.isLit, equals: true, limit: 1, in: database).map(\.key) == ["m1"])
    #expect(try await Mural.where(\.kind, equals: .wall, in: database).map(\.key) == ["m2", "m3"])
    #expect(try await Mural.where(\.address.street, equals: "A", in: database).map(\.key) == ["m1", "m3"])
    #expect(try await Mural.where(\.note, equals: nil, in: database).count == 3)
    #expect(try await Mural.topWhere(\.name, equals: "Cat", in: database)?.key == "m3")
    #expect(try await Mural.topWhere(\.name, equals: "Dog", in: database) == nil)
  }

  @Test func `a child that is no such model is an error, or left out where the type says so`() async throws {
    try fill()
    try fixture.set(["year": "old"], at: "murals/m2")
    await #expect(throws: DecodingError.self) { _ = try await Mural.all(in: database) }
    #expect(try await Tolerant.all(in: database).map(\.name) == ["Whale", "Cat"])
  }

  struct Tolerant: Queryable {
    static let collection = "murals"
    static func unreadable(key: String, _ error: any Error) { #expect(key == "m2") }
    var node = ModelNode()
    var name: String
  }

  @Test func `what was inserted has a key, and comes back as it was`() async throws {
    let mural = Mural(name: "New", artists: [Link(key: "x")], images: [MuralImage(location: "a.jpg")], tags: ["t"])
    var inserted = try await Mural.insert(mural, in: database)
    let key = try #require(inserted.key)
    #expect(key.utf8.count == 20)
    #expect(try fixture.value("murals/\(key)/artists") == ["x": true])
    let read = try #require(try await Mural.from(key: key, in: database))
    #expect(read.addedAt != nil && read.images.map(\.key) == ["0"])
    inserted.addedAt = read.addedAt
    inserted.images = read.images
    #expect(read == inserted)
    let other = try await Artist.insert(data: ["name": "Zoe"], in: database)
    #expect(other.name == "Zoe" && other.node.reference?.path.description == "artists/\(other.key ?? "")")
    await #expect(throws: DecodingError.self) { _ = try await Mural.insert(data: ["year": "x"], in: database) }
    #expect(try await Mural.all(in: database).count == 1)
  }

  @Test func `one property is written and the others are left alone`() async throws {
    try fill()
    var mural = try #require(try await Mural.from(key: "m1", in: database))
    try fixture.set("changed elsewhere", at: "murals/m1/note")
    try await mural.set(\.name, to: "Orca")
    try await mural.set(\.address.number, to: 7)
    try await mural.set(\.tags, to: [])
    try await mural.set(\.height, to: 2.5)
    try await mural.increment(\.year, by: 2)
    try await mural.set(value: "by hand", for: "extra")
    #expect(mural.name == "Orca" && mural.address.number == 7 && mural.tags == [] && mural.year == 2_001)
    let stored = try fixture.value("murals/m1")
    #expect(stored["name"] == "Orca" && stored["note"] == "changed elsewhere" && stored["tags"].isNull)
    #expect(stored["address"] == ["street": "A", "number": 7] && stored["year"] == 2_001 && stored["height"] == 2.5)
    #expect(stored["extra"] == "by hand")
    var image = mural.images[0]
    try await image.set(\.caption, to: "front")
    #expect(try fixture.value("murals/m1/images/i1") == ["location": "whale.jpg", "caption": "front"])
  }

  @Test func `links are a map of keys and are resolved in one read`() async throws {
    try fill()
    var mural = try #require(try await Mural.from(key: "m1", in: database))
    #expect(mural.artists.map(\.key) == ["gone", "x", "y"])
    // One that is not there is left out.
    #expect(try await mural.artists.resolve().map(\.name) == ["Xenia", "Yan"])
    #expect(try await mural.artists[0].resolve() == nil)
    let zoe = try await Artist.insert(Artist(name: "Zoe"), in: database)
    try await mural.add(Link(to: zoe), to: \.artists)
    try await mural.remove(Link(key: "gone"), from: \.artists)
    #expect(try await mural.artists.resolve().map(\.name) == ["Xenia", "Yan", "Zoe"])
    #expect(try fixture.value("murals/m1/artists") == ["x": true, "y": true, zoe.key ?? "": true])
    try await mural.add(key: "z", forNode: "artists")
    #expect(try fixture.value("murals/m1/artists/z") == true)
    #expect(try await [Link<Artist>(key: "y")].resolve(in: database).map(\.name) == ["Yan"])
    await #expect(throws: TreeError.self) { _ = try await Link<Artist>(key: "y").resolve() }
  }

  struct MuralWithArtists: Queryable {
    static let collection = "murals"
    var node = ModelNode()
    var artists: [Artist]
  }

  @Test func `a model of which only the key is known is read when it is asked for`() async throws {
    try fill()
    let mural = try #require(try await MuralWithArtists.from(key: "m1", in: database))
    var artist = try #require(mural.artists.last)
    #expect(artist.key == "y" && artist.name == nil)
    try await artist.getExternal()
    #expect(artist.name == "Yan" && artist.node.reference == database.reference(withPath: "artists/y"))
    var gone = mural.artists[0]
    await #expect(throws: TreeError.self) { try await gone.getExternal() }
    #expect(try Value(Mural.encoder.encode(mural)) == ["artists": ["gone": true, "x": true, "y": true]])
  }

  @Test func `what is deleted is gone with all below it`() async throws {
    try fill()
    try await #require(try await Mural.from(key: "m1", in: database)).delete()
    #expect(try fixture.value("murals/m1").isNull)
    await #expect(throws: TreeError.self) { try await Mural(name: "nowhere").delete() }
  }

  @Test func `a model with a file says where it is`() async throws {
    try fill()
    let images = try #require(try await Mural.from(key: "m1", in: database)).images
    #expect(try images[0].requireFile().name == "whale.jpg")
    #expect(errorCode { try images[1].requireFile() } == .notFound)
    #expect(errorCode { try MuralImage(location: "a").requireFile() } == .invalidArgument)
  }

  @Test func `models among others need all a key or none`() throws {
    let mural = Mural(name: "a", images: [MuralImage(node: ModelNode(key: "i1")), MuralImage(caption: "b")])
    #expect(throws: EncodingError.self) { try Mural.encoder.encode(mural) }
  }
}
