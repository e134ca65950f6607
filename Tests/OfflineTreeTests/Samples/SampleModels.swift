@testable import OfflineTree

// sample
struct Photo: TreeModel, Queryable, Insertable, Deletable, PropertyWritable {
  static let collection = "photos"

  var node = ModelNode()
  var title: String
  var takenBy: Link<Person>
  var likes = 0
  var tags: [String] = []
  var people: [Link<Person>] = []
  @ServerTimestamp var addedAt: Timestamp?
}

struct Person: TreeModel, Queryable, Insertable {
  static let collection = "people"

  var node = ModelNode()
  var name: String
}
// end

// sample
struct Portrait: TreeModel, StorageDownloadable {
  var node = ModelNode()
  var location: String?
}
// end

// sample
struct Lenient: Queryable {
  static let collection = "photos"

  static func unreadable(key: String, _ error: any Error) {
    print("photos/\(key) is left out: \(error)")
  }

  var node = ModelNode()
  var title: String
}
// end

// sample
struct Settings: Codable, Equatable {
  var theme = "light"
  var columns = 2
  var favourites: [String] = []
}
// end
