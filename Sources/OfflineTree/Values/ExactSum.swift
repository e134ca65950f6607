/// A sum of 64-bit integers and doubles that is exact whatever the order of its parts, and rounded once, when read.
///
/// Equal totals of equally many doubles are equal sums and have equal bytes: a total that is an integer of 128 bits is
/// kept as one, any other in limbs of fixed point.
package struct ExactSum: Hashable, Sendable {
  /// How many doubles were added, less those taken away: while it is not 0, the sum is shown as a double.
  private(set) var doubles: Int64
  var total: Total

  enum Total: Hashable {
    case integer(Int128)
    case wide(FixedPoint)
  }

  package static let zero = ExactSum()

  package init() {
    doubles = 0
    total = .integer(0)
  }

  init(doubles: Int64, total: Total) {
    self.doubles = doubles
    self.total = total
  }

  /// A sum of one number; of something else, zero.
  package init(_ number: Scalar) {
    self.init()
    add(number)
  }

  /// Whether nothing is left: a total of 0 to which no double adds its kind.
  package var isZeroAndIntegral: Bool { doubles == 0 && total == .integer(0) }

  /// Adds a number; anything else adds nothing.
  package mutating func add(_ number: Scalar) {
    switch number {
    case .int(let value): add(Int128(value))
    case .double(let value): add(value, sign: 1)
    case .bool, .string: break
    }
  }

  /// Takes a number away; anything else takes nothing.
  package mutating func subtract(_ number: Scalar) {
    switch number {
    case .int(let value): add(-Int128(value))
    case .double(let value): add(-value, sign: -1)
    case .bool, .string: break
    }
  }

  package static func += (left: inout ExactSum, right: ExactSum) {
    left.doubles &+= right.doubles
    switch right.total {
    case .integer(let value): left.add(value)
    case .wide(let value): left.add(value)
    }
  }

  package static func -= (left: inout ExactSum, right: ExactSum) {
    left.doubles &-= right.doubles
    switch right.total {
    case .integer(let value): left.add(FixedPoint(value).negated())
    case .wide(let value): left.add(value.negated())
    }
  }

  private mutating func add(_ value: Int128) {
    if case .integer(let old) = total {
      let (sum, overflow) = old.addingReportingOverflow(value)
      if !overflow {
        total = .integer(sum)
        return
      }
    }
    add(FixedPoint(value))
  }

  private mutating func add(_ value: Double, sign: Int64) {
    guard value.isFinite else { return }
    doubles &+= sign
    if let whole = Int64(exactly: value) {
      add(Int128(whole))
    } else {
      add(FixedPoint(value))
    }
  }

  private mutating func add(_ value: FixedPoint) {
    let sum =
      switch total {
      case .integer(let old): FixedPoint(old) + value
      case .wide(let old): old + value
      }
    total = sum.integer.map { .integer($0) } ?? .wide(sum)
  }

  /// The sum as it is shown: an integer if no double is in it and it fits 64 bits, else the nearest double, ties to
  /// even, at most the largest one.
  package var value: Scalar {
    switch total {
    case .integer(let total):
      guard let small = Int64(exactly: total) else { return .double(FixedPoint(total).nearestDouble) }
      return doubles == 0 ? .int(small) : .double(Double(small))
    case .wide(let total): return .double(total.nearestDouble)
    }
  }

  /// The value shown with the number `base` below it, rounded once.
  package func rounded(adding base: Scalar?) -> Scalar {
    guard let base else { return value }
    var sum = self
    sum.add(base)
    return sum.value
  }
}
