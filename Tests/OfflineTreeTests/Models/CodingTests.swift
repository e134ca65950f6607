import Testing

@testable import OfflineTree

/// What Codable types become in the tree, and back.
@Suite struct CodingTests {
  enum Color: String, Codable, Hashable { case red, green }
  enum Level: Int, Codable, Hashable {
    case low = 1
    case high = 2
  }

  struct Everything: Codable, Equatable {
    var text = "a"
    var yes = true
    var int8 = Int8.min
    var int16 = Int16.max
    var int32 = Int32.min
    var int64 = Int64.max
    var int = 9_007_199_254_740_993
    var uint8 = UInt8.max
    var uint16 = UInt16.max
    var uint32 = UInt32.max
    var uint64 = UInt64(Int64.max)
    var float = Float(0.1)
    var double = 0.1
    var huge = Double.greatestFiniteMagnitude
    var nothing: Int?
    var something: Int? = 3
    var color = Color.green
    var list = [1, 2, 3]
    var lists = [[1], [], [2]]
    var gaps: [Int?] = [1, nil, 3]
    var named = ["a": 1, "b": 2]
    var numbered = [1: "one", 7: "seven"]
    var colored = [Color.red: 1.5]
    var levelled = [Level.high: true]
    var wide = [Int64.min: "least"]
    var keyed = [Key(index: 3): "three"]
    var empty: [String] = []
    var emptyNamed: [String: Int] = [:]
    var emptySet: Set<Int> = []
    var nested = Inner()
    var anything: Value = ["x": [1, 2], "y": true]
  }

  struct Inner: Codable, Equatable {
    var items: [String] = []
    var note: String?
  }

  @Test func `every kind of property comes back as it was`() throws {
    let value = try tree(Everything())
    #expect(try TreeDecoder().decode(Everything.self, from: value) == Everything())
    #expect(value["int64"] == .int(.max) && value["int"] == .int(9_007_199_254_740_993))
    #expect(value["list"] == ["0": 1, "1": 2, "2": 3] && value["gaps"] == ["0": 1, "2": 3])
    #expect(value["numbered"] == ["1": "one", "7": "seven"] && value["colored"] == ["red": 1.5])
    #expect(value["levelled"] == ["2": true] && value["wide"] == ["-9223372036854775808": "least"])
    #expect(value["empty"].isNull && value["nested"].isNull && value["nothing"].isNull)
    #expect(value["anything"] == ["x": ["0": 1, "1": 2], "y": true])
  }

  @Test func `what is empty at the top is nothing, and is empty again`() throws {
    #expect(try TreeEncoder().encode([Int]()) == .null)
    #expect(try TreeDecoder().decode([Int].self, from: .null) == [])
    #expect(try TreeDecoder().decode([String: Int].self, from: .null) == [:])
    #expect(try TreeDecoder().decode(Inner.self, from: .null) == Inner())
    #expect(try TreeDecoder().decode(Int?.self, from: .null) == nil)
  }

  struct Optionals: Codable, Equatable {
    var list: [Int]?
    var named: [String: Int]?
  }

  @Test func `an optional that is empty is nil when it comes back`() throws {
    let value = try tree(Optionals(list: [], named: [:]))
    #expect(value.isNull)
    #expect(try TreeDecoder().decode(Optionals.self, from: value) == Optionals())
  }

  static let arrays: [(Value, [Int?]?)] = [
    (["0": 1, "1": 2], [1, 2]),
    (["1": 1], [nil, 1]),
    (["2": 1, "3": 2, "4": 3], [nil, nil, 1, 2, 3]),
    (["3024": 5], nil),
    (["1": 1, "01": 2], nil),
    (["0": 1, "a": 2], nil),
    (["-1": 1], nil),
    (["2": 1], nil),
    (["123456789012345": 1], nil),
    (1, nil),
    (.null, []),
  ]

  @Test(arguments: arrays)
  func `an array with gaps is read as Firebase reads it`(_ value: Value, _ expected: [Int?]?) throws {
    guard let expected else {
      #expect(throws: DecodingError.self) { try TreeDecoder().decode([Int?].self, from: value) }
      return
    }
    #expect(try TreeDecoder().decode([Int?].self, from: value) == expected)
  }

  static let snakeNames = [
    ("name", "name"), ("firstName", "first_name"), ("imageURL", "image_url"), ("URLOfImage", "url_of_image"),
    ("a1B", "a1_b"), ("_private", "_private"), ("Title", "title"), ("isOK", "is_ok"),
    ("already_snake", "already_snake"),
  ]

  @Test(arguments: snakeNames)
  func `names become snake case`(_ name: String, _ expected: String) {
    #expect(KeyStrategy.snakeCase(name) == expected)
  }

  struct Photo: Codable, Equatable {
    var imageURL = "a"
    var takenBy = ["userName": 1]
  }

  @Test func `names of properties are converted and those of entries are not`() throws {
    var (encoder, decoder) = (TreeEncoder(), TreeDecoder())
    encoder.keyEncodingStrategy = .convertToSnakeCase
    decoder.keyDecodingStrategy = .convertToSnakeCase
    let value = try tree(Photo(), encoder)
    #expect(value == ["image_url": "a", "taken_by": ["userName": 1]])
    #expect(try decoder.decode(Photo.self, from: value) == Photo())
    #expect(try decoder.decode(Photo.self, from: ["imageURL": "a", "takenBy": ["userName": 1]]) == Photo())
    encoder.keyEncodingStrategy = .custom { "x-" + ($0.last?.stringValue ?? "") }
    decoder.keyDecodingStrategy = encoder.keyEncodingStrategy
    let custom = try tree(Photo(), encoder)
    #expect(custom == ["x-imageURL": "a", "x-takenBy": ["userName": 1]])
    #expect(try decoder.decode(Photo.self, from: custom) == Photo())
  }

  class Animal: Codable {
    var legs = 4
  }

  final class Dog: Animal {
    var name = "Rex"
    private enum CodingKeys: String, CodingKey { case name }
    override init() { super.init() }
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      try super.init(from: try container.superDecoder())
    }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try super.encode(to: container.superEncoder())
    }
  }

  @Test func `what a class inherits is under super`() throws {
    let dog = Dog()
    (dog.name, dog.legs) = ("Tripod", 3)
    let value = try tree(dog)
    #expect(value == ["name": "Tripod", "super": ["legs": 3]])
    let again = try TreeDecoder().decode(Dog.self, from: value)
    #expect(again.name == "Tripod" && again.legs == 3)
  }

  struct ByHand: Codable, Equatable {
    var (a, b, c) = (1, "two", [3.5])
    private enum Outer: CodingKey { case deep, list }
    private enum Deep: CodingKey { case a, b }
    init() {}
    init(from decoder: any Decoder) throws {
      let outer = try decoder.container(keyedBy: Outer.self)
      let deep = try outer.nestedContainer(keyedBy: Deep.self, forKey: .deep)
      a = try deep.decode(Int.self, forKey: .a)
      b = try deep.decode(String.self, forKey: .b)
      var list = try outer.nestedUnkeyedContainer(forKey: .list)
      c = []
      while !list.isAtEnd { c.append(try list.decode(Double.self)) }
    }
    func encode(to encoder: any Encoder) throws {
      var outer = encoder.container(keyedBy: Outer.self)
      var deep = outer.nestedContainer(keyedBy: Deep.self, forKey: .deep)
      try deep.encode(a, forKey: .a)
      // Asked for again, it goes on where it was.
      deep = outer.nestedContainer(keyedBy: Deep.self, forKey: .deep)
      try deep.encode(b, forKey: .b)
      var list = outer.nestedUnkeyedContainer(forKey: .list)
      for number in c { try list.encode(number) }
    }
  }

  @Test func `containers inside containers are nodes inside nodes`() throws {
    let value = try tree(ByHand())
    #expect(value == ["deep": ["a": 1, "b": "two"], "list": ["0": 3.5]])
    #expect(try TreeDecoder().decode(ByHand.self, from: value) == ByHand())
  }

  struct Stamped: Codable {
    @ServerTimestamp var at: Timestamp?
    @ServerTimestamp var milliseconds: Int64?
  }

  @Test func `a server's time is asked for with nil and read as milliseconds`() throws {
    let new = try TreeEncoder().encode(Stamped(at: nil, milliseconds: 5))
    #expect(
      new
        == NewValue(members: [
          .init(Key(trusted: "at"), .timestamp), .init(Key(trusted: "milliseconds"), NewValue(Scalar.int(5))),
        ]))
    let read = try TreeDecoder().decode(Stamped.self, from: ["at": 1_700_000_000_123])
    #expect(read.at == Timestamp(seconds: 1_700_000_000, nanoseconds: 123_000_000) && read.milliseconds == nil)
  }

  @Test(arguments: [(-1, -1, 999_000_000), (0, 0, 0), (1_999, 1, 999_000_000), (-1_000, -1, 0)])
  func `a timestamp is seconds rounded down and what is beyond`(_ ms: Int64, _ seconds: Int64, _ nanoseconds: Int32)
    throws
  {
    let time = Timestamp(millisecondsSince1970: ms)
    #expect(time.seconds == seconds && time.nanoseconds == nanoseconds)
    #expect(try time.millisecondsSince1970() == ms)
  }

  @Test func `types can be given another form`() throws {
    var (encoder, decoder) = (TreeEncoder(), TreeDecoder())
    encoder.setStrategy(for: Color.self) { color, encoder in try (color == .red ? 0 : 1).encode(to: encoder) }
    decoder.setStrategy(for: Color.self) { try Int(from: $0) == 0 ? .red : .green }
    let value = try tree([Color.red, .green], encoder)
    #expect(value == ["0": 0, "1": 1])
    #expect(try decoder.decode([Color].self, from: value) == [.red, .green])
  }

  private func tree<T: Encodable>(_ value: T, _ encoder: TreeEncoder = TreeEncoder()) throws -> Value {
    try Value(try encoder.encode(value))
  }
}

extension Value {
  /// What a write would leave, if it needs no clock and no number that is there.
  init(_ new: NewValue) throws {
    switch new.content {
    case .null: self = .null
    case .scalar(let scalar): self.init(scalar)
    case .timestamp, .increment: throw TreeError(.invalidArgument, "a server's value")
    case .object(let members): self.init(members: try members.map { (key: $0.key, value: try Value($0.value)) })
    }
  }
}
