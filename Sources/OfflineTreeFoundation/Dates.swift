public import OfflineTree

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How dates stand in the tree.
public enum DateStrategy: Sendable {
  /// Seconds since 2001, as `Date` itself is coded.
  case deferredToDate
  /// Seconds since 1970, with a fraction.
  case secondsSince1970
  /// Whole milliseconds since 1970, as `ServerValue.timestamp()` is.
  case millisecondsSince1970
  /// A text such as "2026-11-30T20:15:00Z", in whole seconds.
  case iso8601
  /// A text of a style's making, such as `Date.ISO8601FormatStyle(includingFractionalSeconds: true)`.
  case formatted(Date.ISO8601FormatStyle)
  case custom(encode: @Sendable (Date, any Encoder) throws -> Void, decode: @Sendable (any Decoder) throws -> Date)
}

extension TreeEncoder {
  /// How dates are written.
  public mutating func setDateStrategy(_ strategy: DateStrategy) {
    setStrategy(for: Date.self, strategy.encode)
  }
}

extension TreeDecoder {
  /// How dates are read: the encoder's way.
  public mutating func setDateStrategy(_ strategy: DateStrategy) {
    setStrategy(for: Date.self, strategy.decode)
  }
}

extension DateStrategy {
  fileprivate var encode: @Sendable (Date, any Encoder) throws -> Void {
    switch self {
    case .deferredToDate: { try $0.timeIntervalSinceReferenceDate.encode(to: $1) }
    case .secondsSince1970: { try $0.timeIntervalSince1970.encode(to: $1) }
    case .millisecondsSince1970: { try $0.millisecondsSince1970().encode(to: $1) }
    case .iso8601: { try $0.formatted(.iso8601).encode(to: $1) }
    case .formatted(let style): { try $0.formatted(style).encode(to: $1) }
    case .custom(let encode, _): encode
    }
  }

  fileprivate var decode: @Sendable (any Decoder) throws -> Date {
    switch self {
    case .deferredToDate: { Date(timeIntervalSinceReferenceDate: try Double(from: $0)) }
    case .secondsSince1970: { Date(timeIntervalSince1970: try Double(from: $0)) }
    case .millisecondsSince1970: { Date(timeIntervalSince1970: try Double(from: $0) / 1_000) }
    case .iso8601: { try DateStrategy.parse(.iso8601, $0) }
    case .formatted(let style): { try DateStrategy.parse(style, $0) }
    case .custom(_, let decode): decode
    }
  }

  private static func parse(_ style: Date.ISO8601FormatStyle, _ decoder: any Decoder) throws -> Date {
    let text = try String(from: decoder)
    do {
      return try style.parse(text)
    } catch {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "\"\(text)\" is no date of the strategy's form",
          underlyingError: error))
    }
  }
}

/// Dates are whole milliseconds since 1970 where a server's time stands, and in what `setValue` takes.
extension Date: MillisecondTime, TreeValueConvertible {
  public init(millisecondsSince1970: Int64) { self.init(timeIntervalSince1970: Double(millisecondsSince1970) / 1_000) }

  public func millisecondsSince1970() throws(TreeError) -> Int64 {
    if let milliseconds = Int64(exactly: (timeIntervalSince1970 * 1_000).rounded()) { return milliseconds }
    throw TreeError(.invalidArgument, "a date of \(timeIntervalSince1970) s since 1970 does not fit into 64 bits")
  }

  public func newValue() throws(TreeError) -> NewValue { NewValue(Scalar.int(try millisecondsSince1970())) }
}

extension Timestamp {
  public init(date: Date) {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    self.init(seconds: Int64(seconds), nanoseconds: Int32((date.timeIntervalSince1970 - seconds) * 1e9))
  }

  public func dateValue() -> Date { Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1e9) }
}
