/// A time that a write fills in: nil is written as the time of the change that writes it.
///
/// It reads the milliseconds since 1970 as they are in the tree, whoever wrote them.
///
///     struct Post: Codable {
///       var text: String
///       @ServerTimestamp var postedAt: Timestamp?
///     }
@propertyWrapper
public struct ServerTimestamp<Time: MillisecondTime>: Sendable {
  public var wrappedValue: Time?

  public init(wrappedValue: Time?) { self.wrappedValue = wrappedValue }
}

/// A moment that is kept as whole milliseconds since 1970.
public protocol MillisecondTime: Sendable {
  init(millisecondsSince1970: Int64)
  /// - Throws: `invalidArgument` for a moment that is out of range.
  func millisecondsSince1970() throws(TreeError) -> Int64
}

extension ServerTimestamp: Equatable where Time: Equatable {}
extension ServerTimestamp: Hashable where Time: Hashable {}

extension ServerTimestamp: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    wrappedValue = container.decodeNil() ? nil : Time(millisecondsSince1970: try container.decode(Int64.self))
  }

  public func encode(to encoder: any Encoder) throws {
    if let wrappedValue {
      var container = encoder.singleValueContainer()
      try container.encode(try wrappedValue.millisecondsSince1970())
    } else if let node = encoder as? NodeEncoder {
      node.put(.timestamp)
    } else {
      var container = encoder.singleValueContainer()
      try container.encode([".sv": "timestamp"])
    }
  }
}

extension Int64: MillisecondTime {
  public init(millisecondsSince1970: Int64) { self = millisecondsSince1970 }
  public func millisecondsSince1970() -> Int64 { self }
}
