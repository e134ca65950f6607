import Testing

@testable import OfflineTree

/// A database for models, in a folder of its own.
struct ModelFixture {
  let folder: TemporaryFolder
  let database: Database

  init() throws {
    folder = try TemporaryFolder()
    database = try Database.create(
      at: "\(folder.path)/a", space: "test", recovery: RecoveryCode(), deviceName: "a",
      options: Database.Options(durability: .unsafeNoSync))
  }

  func set(_ value: Value, at path: String = "") throws {
    let path = try Path(path)
    try database.write { try $0.setValue(value, at: path) }
  }

  func value(_ path: String = "") throws -> Value {
    let path = try Path(path)
    return try database.read { try $0.value(at: path) }
  }
}

struct Artist: TreeModel, Queryable, Insertable, Deletable, PropertyWritable, Equatable {
  static let collection = "artists"
  var node = ModelNode()
  var name: String?
  var style: String?
}

struct MuralImage: TreeModel, StorageDownloadable, PropertyWritable, Equatable {
  var node = ModelNode()
  var location: String?
  var caption: String?
}

struct Mural: TreeModel, Queryable, Insertable, Deletable, PropertyWritable, Equatable {
  static let collection = "murals"

  enum Kind: String, Codable, CaseIterable { case wall, roof }
  struct Address: Codable, Equatable {
    var street = ""
    var number = 0
  }

  var node = ModelNode()
  var name: String
  var year = 2_000
  var isLit = false
  var kind = Kind.wall
  var note: String?
  var address = Address()
  var artists: [Link<Artist>] = []
  var images: [MuralImage] = []
  var tags: [String] = []
  var height: Double?
  @ServerTimestamp var addedAt: Int64?

  var loudName: String { name.uppercased() }
  var isDark: Bool { !isLit }
  var label: String { "\(name) \(year)" }
}
