import OfflineTree

/// `/murals/‹key›`: a name, a year, `artists` as a map of links, `images` as a map of nodes.
struct Mural: TreeModel, Queryable, Insertable, Deletable, PropertyWritable {
  static let collection = "murals"

  var node = ModelNode()
  var name: String
  var year: Int
  var artists: [Link<Artist>] = []
  var images: [MuralImage] = []
}

/// `/artists/‹key›`.
struct Artist: TreeModel, Queryable, Insertable, PropertyWritable {
  static let collection = "artists"

  var node = ModelNode()
  var name: String
}

/// `/murals/‹key›/images/‹key›`: where in the storage the picture is.
struct MuralImage: TreeModel, StorageDownloadable {
  var node = ModelNode()
  var location: String?
}
