import Foundation
import OfflineTree
import OfflineTreeFoundation
import Testing

/// Foundation's types in the tree.
@Suite struct FoundationCodingTests {
  static let moment = Date(timeIntervalSince1970: 1_700_000_000.125)
  static let whole = Date(timeIntervalSince1970: 1_700_000_000)

  static let strategies: [(DateStrategy, Date, Scalar)] = [
    (.deferredToDate, moment, .double(moment.timeIntervalSinceReferenceDate)),
    (.secondsSince1970, moment, .double(1_700_000_000.125)),
    (.millisecondsSince1970, moment, .int(1_700_000_000_125)),
    (.iso8601, whole, .string("2023-11-14T22:13:20Z")),
    (
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)), moment, .string("2023-11-14T22:13:20.125Z")
    ),
    (
      .custom(
        encode: { try Int($0.timeIntervalSince1970 / 86_400).encode(to: $1) },
        decode: { Date(timeIntervalSince1970: Double(try Int(from: $0)) * 86_400) }),
      Date(timeIntervalSince1970: 86_400 * 3), .int(3)
    ),
  ]

  @Test(arguments: strategies.indices)
  func `a date stands in the tree as its strategy says, and comes back`(_ index: Int) throws {
    let (strategy, date, expected) = Self.strategies[index]
    let value = try TreeEncoder.foundation(dates: strategy).encode([date])
    #expect(value == NewValue(members: [.init(Key(index: 0), NewValue(expected))]))
    #expect(
      try TreeDecoder.foundation(dates: strategy).decode([Date].self, from: Value(elements: [Value(expected)])) == [
        date
      ])
  }

  struct File: Codable, Equatable {
    var bytes = Data([0, 255, 3])
    var page = URL(string: "https://example.org/a?b=c")
  }

  @Test func `bytes are base64 and URLs are texts`() throws {
    let value = try TreeEncoder.foundation().encode(File())
    let texts = ["bytes": "AP8D", "page": "https://example.org/a?b=c"]
    #expect(
      value == NewValue(members: try texts.map { .init(try Key($0.key), NewValue(Scalar.string($0.value))) }))
    let stored: Value = ["bytes": "AP8D", "page": "https://example.org/a?b=c"]
    #expect(try TreeDecoder.foundation().decode(File.self, from: stored) == File())
    #expect(throws: DecodingError.self) { try TreeDecoder.foundation().decode(File.self, from: ["bytes": "?"]) }
  }

  @Test func `without strategies Foundation's own coding comes back as well`() throws {
    var encoder = TreeEncoder.foundation()
    encoder.setDataStrategy(.deferredToData)
    let numbers = try encoder.encode(Data([7, 8]))
    #expect(numbers == (try NewValue(any: [7, 8])))
    #expect(try TreeDecoder().decode(Data.self, from: [7, 8]) == Data([7, 8]))
  }

  static var bridged: [(any TreeValueConvertible & AnyObject, NewValue)] {
    [
      (NSNull(), .null),
      (NSNumber(value: true), NewValue(Scalar.bool(true))),
      (NSNumber(value: 5), NewValue(Scalar.int(5))),
      (NSNumber(value: Int64.max), NewValue(Scalar.int(.max))),
      (NSNumber(value: 1.5), NewValue(Scalar.double(1.5))),
      (NSString(string: "text"), NewValue(Scalar.string("text"))),
      (
        NSArray(array: [1, "a"]),
        NewValue(members: [
          .init(Key(index: 0), NewValue(Scalar.int(1))), .init(Key(index: 1), NewValue(Scalar.string("a"))),
        ])
      ),
      (
        NSDictionary(dictionary: ["0": NSNumber(value: 2)]),
        NewValue(members: [.init(Key(index: 0), NewValue(Scalar.int(2)))])
      ),
    ]
  }

  @Test(arguments: 0..<8)
  func `objects of Foundation are what they hold`(_ index: Int) throws {
    let (object, expected) = Self.bridged[index]
    #expect(try NewValue(any: object) == expected)
    #expect(try NewValue(any: ["x": object]) == NewValue(members: [.init(Key("x"), expected)]))
  }

  @Test func `values of Foundation are what a tree keeps of them`() throws {
    #expect(try NewValue(any: Self.moment) == NewValue(Scalar.int(1_700_000_000_125)))
    #expect(try NewValue(any: Data([0, 255, 3])) == NewValue(Scalar.string("AP8D")))
    #expect(
      try NewValue(any: URL(string: "https://example.org") as Any)
        == NewValue(Scalar.string("https://example.org")))
    #expect(throws: TreeError.self) { try NewValue(any: NSNumber(value: UInt64.max)) }
    #expect(throws: TreeError.self) { try NewValue(any: Date(timeIntervalSince1970: 1e300)) }
    #expect(throws: TreeError.self) { try NewValue(any: NSDictionary(dictionary: [5: "x"])) }
  }

  struct Stamped: Codable {
    @ServerTimestamp var at: Date?
  }

  @Test func `a server's time is a date`() throws {
    #expect(try TreeDecoder().decode(Stamped.self, from: ["at": 1_700_000_000_125]).at == Self.moment)
    #expect(try TreeEncoder().encode(Stamped(at: nil)) == NewValue(members: [.init(Key("at"), .timestamp)]))
    #expect(Timestamp(date: Self.moment).dateValue() == Self.moment)
    #expect(Timestamp(date: Date(timeIntervalSince1970: -0.5)) == Timestamp(seconds: -1, nanoseconds: 500_000_000))
  }
}
