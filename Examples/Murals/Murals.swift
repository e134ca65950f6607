import OfflineTree

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Murals and the artists who painted them: models, links between them, and one property at a time.
///
///     swift run Murals ‹an empty folder›
@main
struct Murals {
  static func main() async {
    guard CommandLine.arguments.count == 2 else {
      print("usage: Murals FOLDER")
      exit(64)
    }
    do {
      let database = try Database.create(
        at: CommandLine.arguments[1], space: "murals", recovery: RecoveryCode(), deviceName: "laptop")
      try await play(database)
    } catch {
      print("error: \(error)")
      exit(1)
    }
  }

  static func play(_ database: Database) async throws {
    try database.addIndex(at: Mural.collection, by: "year")
    let mina = try await Artist.insert(Artist(name: "Mina"), in: database)
    var otto = try await Artist.insert(Artist(name: "Oto"), in: database)
    var whale = try await Mural.insert(
      Mural(
        name: "Whale", year: 2_019, artists: [try Link(to: mina)],
        images: [MuralImage(node: ModelNode(key: "front"), location: "murals/whale.jpg")]), in: database)
    _ = try await Mural.insert(Mural(name: "Two Cats", year: 2_021, artists: [try Link(to: otto)]), in: database)
    _ = try await Mural.insert(Mural(name: "Empty Wall", year: 2_019), in: database)

    try await whale.add(Link(to: otto), to: \.artists)
    try await otto.set(\.name, to: "Otto")

    print("All murals:")
    for mural in try await Mural.all(in: database) { print("  " + (try await line(mural))) }
    print("Of 2019:")
    for mural in try await Mural.where(\.year, equals: 2_019, in: database) { print("  \(mural.name)") }
    print("The newest:", try await Mural.top(1, by: \.year, descending: true, in: database).map(\.name).joined())

    try await whale.delete()
    print("Left:", try await Mural.all(in: database).map(\.name).joined(separator: ", "))
  }

  static func line(_ mural: Mural) async throws -> String {
    let artists = try await mural.artists.resolve().map(\.name).joined(separator: " and ")
    let images = mural.images.compactMap(\.location).joined(separator: ", ")
    return "\(mural.name) (\(mural.year)) by \(artists.isEmpty ? "nobody" : artists)"
      + (images.isEmpty ? "" : ", in \(images)")
  }
}
