import Testing

@testable import OfflineTree

/// What cannot be decoded or encoded is refused with the path, both kinds and a way out.
@Suite struct CodingErrorTests {
  struct Joke: Codable {
    var text: String
    var votes: UInt8
    var tags: [String]
    var isNew: Bool?
  }

  struct Feed: Codable { var jokes: [String: Joke] }

  static let unreadable: [(Value, String)] = [
    (["votes": 1], "there is nothing at feed/jokes/k/text, and String is asked for"),
    (["text": 1, "votes": 1], "feed/jokes/k/text is the number 1, and String is asked for"),
    (["text": "a", "votes": "many"], "feed/jokes/k/votes is the string \"many\", and UInt8 is asked for"),
    (["text": "a", "votes": true], "feed/jokes/k/votes is true, and UInt8 is asked for"),
    (["text": "a", "votes": 256], "feed/jokes/k/votes is the number 256, which UInt8 cannot hold"),
    (["text": "a", "votes": -1], "feed/jokes/k/votes is the number -1, which UInt8 cannot hold"),
    (["text": "a", "votes": 1.5], "feed/jokes/k/votes is the number 1.5, which UInt8 cannot hold"),
    (["text": "a", "votes": ["x": 1]], "feed/jokes/k/votes is an object, and UInt8 is asked for"),
    (["text": "a", "votes": 1, "tags": "x"], "feed/jokes/k/tags is the string \"x\", and an array is asked for"),
    (
      ["text": "a", "votes": 1, "tags": ["a": "x"]],
      "feed/jokes/k/tags has the key \"a\", and an array with the keys 0, 1, 2 … is asked for"
    ),
    (
      ["text": "a", "votes": 1, "tags": ["1": "x"]], "there is nothing at feed/jokes/k/tags/0, and String is asked for"
    ),
    (["text": "a", "votes": 1, "isNew": 1], "feed/jokes/k/isNew is the number 1, and Bool is asked for"),
    ("text", "feed/jokes/k is the string \"text\", and an object is asked for"),
  ]

  @Test(arguments: unreadable)
  func `an error names the path and both kinds`(_ joke: Value, _ sentence: String) throws {
    let context = try #require(
      context { try TreeDecoder().decode(Feed.self, from: ["jokes": ["k": joke]], at: try Path("feed")) })
    #expect(context.debugDescription == sentence)
    #expect(context.codingPath.map(\.stringValue).joined(separator: "/").hasPrefix("jokes/k"))
  }

  @Test func `a key of a dictionary that is none of its type's is named`() throws {
    let context = try #require(
      context { try TreeDecoder().decode([Int: Int].self, from: ["07": 1], at: try Path("a")) })
    #expect(context.debugDescription == "a has the key \"07\", which is no Int")
  }

  struct Holder<T: Encodable & Sendable>: Encodable, Sendable { var it: T }
  struct Twice: Encodable {
    enum CodingKeys: String, CodingKey {
      case userName
      case nickName = "user_name"
    }
    var userName = 1
    var nickName = 2
  }

  static let unwritable: [(@Sendable () throws -> NewValue, String)] = [
    (
      of(Holder(it: UInt64.max)),
      "a/it would be 18446744073709551615, which is beyond 64 bits with a sign. Store it as a string."
    ),
    (of(Holder(it: Double.nan)), "a/it would be nan, which cannot be stored. Use a finite number, or nil."),
    (of(Holder(it: -Double.infinity)), "a/it would be -inf, which cannot be stored. Use a finite number, or nil."),
    (
      of(["x.y": 1]),
      "below a: the key \"x.y\" holds a character that keys cannot have. Leave out . # $ [ ] / and control characters."
    ),
    (of(Holder(it: ["": 1])), "below a/it: a key is empty. Give it at least one character."),
    (
      of(Holder(it: [1, nil])),
      "the last element of an array, a/it/1, is nil or empty, and the tree would lose it. Leave it out, or set the encoder's emptyValueStrategy to drop."
    ),
    (
      of([[1], []]),
      "the last element of an array, a/1, is nil or empty, and the tree would lose it. Leave it out, or set the encoder's emptyValueStrategy to drop."
    ),
    (
      of(["x": [Int]()]),
      "the entry a/x of a dictionary is nil or empty, and the tree would lose its key. Leave it out, or set the encoder's emptyValueStrategy to drop."
    ),
    (
      of([nil, nil, 1]),
      "of the 3 elements of a only 1 have a value: the tree would not know it for an array. Use a dictionary, or set the encoder's emptyValueStrategy to drop."
    ),
  ]

  private static func of(_ value: some Encodable & Sendable) -> @Sendable () throws -> NewValue {
    { try TreeEncoder().encode(value, at: try Path("a")) }
  }

  @Test(arguments: unwritable.indices)
  func `what a tree would lose is refused with a way out`(_ index: Int) throws {
    let (encode, sentence) = Self.unwritable[index]
    #expect(try #require(context { try encode() }).debugDescription == sentence)
  }

  @Test func `two properties with one name are refused`() throws {
    var encoder = TreeEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let context = try #require(context { try encoder.encode(Twice()) })
    #expect(context.debugDescription.contains("\"userName\" and \"user_name\" would both be user_name"))
  }

  @Test func `what is empty can be dropped`() throws {
    var encoder = TreeEncoder()
    encoder.emptyValueStrategy = .drop
    #expect(try encoder.encode([[1], []]) == encoder.encode([[1]]))
    #expect(try encoder.encode(["x": [Int]()]) == .null)
  }

  /// What a coding error says; nil if there is none.
  private func context<R>(_ body: () throws -> R) -> (codingPath: [any CodingKey], debugDescription: String)? {
    do {
      _ = try body()
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context)
    {
      return (context.codingPath, context.debugDescription)
    } catch EncodingError.invalidValue(_, let context) {
      return (context.codingPath, context.debugDescription)
    } catch {
      Issue.record(error)
    }
    return nil
  }
}
