import Testing

@testable import OfflineTree

/// Properties and their names in the tree.
@Suite struct ChildNameTests {
  @Test func `the name of a property is found out`() throws {
    #expect(try Mural.childName(of: \.name) == "name")
    #expect(try Mural.childName(of: \.year) == "year")
    #expect(try Mural.childName(of: \.isLit) == "isLit")
    #expect(try Mural.childName(of: \.kind) == "kind")
    #expect(try Mural.childName(of: \.note) == "note")
    #expect(try Mural.childName(of: \.height) == "height")
    #expect(try Mural.childName(of: \.address) == "address")
    #expect(try Mural.childName(of: \.address.street) == "address/street")
    #expect(try Mural.childName(of: \.artists) == "artists")
    #expect(try Mural.childName(of: \.images) == "images")
    #expect(try Mural.childName(of: \.tags) == "tags")
    #expect(try Mural.childName(of: \.addedAt) == "addedAt")
  }

  struct Renamed: TreeModel {
    enum CodingKeys: String, CodingKey {
      case firstName = "givenName"
      case lastName
    }
    static var encoder: TreeEncoder {
      var encoder = TreeEncoder()
      encoder.keyEncodingStrategy = .convertToSnakeCase
      return encoder
    }
    static var decoder: TreeDecoder {
      var decoder = TreeDecoder()
      decoder.keyDecodingStrategy = .convertToSnakeCase
      return decoder
    }
    var node = ModelNode()
    var firstName: String
    var lastName: String
  }

  @Test func `coding keys and strategies count`() throws {
    #expect(try Renamed.childName(of: \.firstName) == "given_name")
    #expect(try Renamed.childName(of: \.lastName) == "last_name")
  }

  struct Strict: TreeModel {
    struct Even: Codable, Equatable {
      let number: Int
      init(from decoder: any Decoder) throws {
        number = try decoder.singleValueContainer().decode(Int.self)
        if number % 2 != 0 {
          throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "\(number) is odd"))
        }
      }
    }
    static var childNames: [PartialKeyPath<Strict>: String] { [\.even: "even"] }
    var node = ModelNode()
    var even: Even
    var other: Int
  }

  @Test func `what cannot be found out is said in a table`() throws {
    #expect(try Strict.childName(of: \.even) == "even")
    let error = try #require(throws: TreeError.self) { try Strict.childName(of: \.other) }
    #expect(error.description.contains("3 is odd") && error.description.contains("childNames"))
  }

  @Test func `what is worked out has no name`() throws {
    for property in [\Mural.loudName, \Mural.label] {
      #expect(errorCode { try Mural.childName(of: property) } == .invalidArgument)
    }
    #expect(errorCode { try Mural.childName(of: \.isDark) } == .invalidArgument)
    #expect(errorCode { try Mural.childName(of: \.tags.count) } == .invalidArgument)
  }
}
