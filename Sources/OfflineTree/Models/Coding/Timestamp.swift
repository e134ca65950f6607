/// A moment, as the collections' API has it. The tree keeps whole milliseconds since 1970 of it, as server values do.
public struct Timestamp: Hashable, Sendable {
  /// Whole seconds since 1970, rounded down.
  public let seconds: Int64
  /// Billionths of a second beyond those, 0 to 999,999,999.
  public let nanoseconds: Int32

  /// - Parameter nanoseconds: 0 to 999,999,999; others carry into the seconds.
  public init(seconds: Int64, nanoseconds: Int32 = 0) {
    let carry = Int64((Double(nanoseconds) / 1e9).rounded(.down))
    self.seconds = seconds + carry
    self.nanoseconds = Int32(Int64(nanoseconds) - carry * 1_000_000_000)
  }
}

extension Timestamp: MillisecondTime {
  public init(millisecondsSince1970 milliseconds: Int64) {
    let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    self.init(seconds: quotient, nanoseconds: Int32(remainder) * 1_000_000)
  }

  public func millisecondsSince1970() throws(TreeError) -> Int64 {
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
    let (sum, carries) = whole.addingReportingOverflow(Int64(nanoseconds / 1_000_000))
    if overflow || carries {
      throw TreeError(.invalidArgument, "\(seconds) s since 1970 is beyond what the tree keeps as milliseconds")
    }
    return sum
  }
}

extension Timestamp: Comparable {
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}

extension Timestamp: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(millisecondsSince1970: try decoder.singleValueContainer().decode(Int64.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(try millisecondsSince1970())
  }
}
