/// A binary number with its point fixed, two's complement, as long as it has to be: sums of doubles are exact in it.
///
/// Limb `low + i` is worth 2^(64 (low + i) − 1088): every double is a multiple of 2^-1074, so 0 is the lowest limb.
/// Kept in the one shortest form: the lowest limb is not 0, and the highest is not a mere extension of the sign.
struct FixedPoint: Hashable, Sendable {
  private(set) var low: Int
  private(set) var limbs: [UInt64]

  /// The limb that is worth 1.
  static let unitLimb = 17
  /// Above every limb of a sum of 2^64 doubles.
  static let limbLimit = 36

  /// Bits of the lowest limb below 2^-1074, which no double has.
  static let unusedBits: UInt64 = (1 << 14) - 1

  init(low: Int, limbs: [UInt64]) {
    self.low = low
    self.limbs = limbs
    shorten()
  }

  init(_ value: Int128) {
    self.init(
      low: FixedPoint.unitLimb,
      limbs: [UInt64(truncatingIfNeeded: value), UInt64(truncatingIfNeeded: value >> 64)])
  }

  /// `value` is finite.
  init(_ value: Double) {
    let isSubnormal = value.exponentBitPattern == 0
    let significand = value.significandBitPattern | (isSubnormal ? 0 : 1 << 52)
    let shift = Int(isSubnormal ? 1 : value.exponentBitPattern) - 1075 + 64 * FixedPoint.unitLimb
    let (limb, bit) = (shift / 64, UInt64(shift % 64))
    let high = bit == 0 ? 0 : significand >> (64 - bit)
    let magnitude = FixedPoint(low: limb, limbs: [significand << bit, high, 0])
    self = value.sign == .minus ? magnitude.negated() : magnitude
  }

  var isNegative: Bool { limbs.last.map { $0 >> 63 == 1 } ?? false }

  private var signLimb: UInt64 { isNegative ? .max : 0 }

  /// The limb worth 2^(64 index − 1088), beyond either end too.
  private func limb(at index: Int) -> UInt64 {
    if index < low { return 0 }
    return index - low < limbs.count ? limbs[index - low] : signLimb
  }

  private mutating func shorten() {
    while let last = limbs.last {
      let below = limbs.count > 1 ? limbs[limbs.count - 2] : 0
      guard (last == 0 && below >> 63 == 0) || (last == .max && limbs.count > 1 && below >> 63 == 1) else { break }
      limbs.removeLast()
    }
    let zeros = limbs.prefix { $0 == 0 }.count
    limbs.removeFirst(zeros)
    low = limbs.isEmpty ? 0 : low + zeros
  }

  static func + (left: FixedPoint, right: FixedPoint) -> FixedPoint {
    if left.limbs.isEmpty { return right }
    if right.limbs.isEmpty { return left }
    let low = min(left.low, right.low)
    let end = max(left.low + left.limbs.count, right.low + right.limbs.count) + 1
    var limbs: [UInt64] = []
    limbs.reserveCapacity(end - low)
    var carry: UInt64 = 0
    for index in low..<end {
      let (first, overflow) = left.limb(at: index).addingReportingOverflow(right.limb(at: index))
      let (sum, again) = first.addingReportingOverflow(carry)
      carry = overflow || again ? 1 : 0
      limbs.append(sum)
    }
    return FixedPoint(low: low, limbs: limbs)
  }

  func negated() -> FixedPoint {
    var result = (limbs + [signLimb]).map { ~$0 }
    for index in result.indices {
      let (sum, overflow) = result[index].addingReportingOverflow(1)
      result[index] = sum
      if !overflow { break }
    }
    return FixedPoint(low: low, limbs: result)
  }

  /// The number, if it is an integer of 128 bits.
  var integer: Int128? {
    if limbs.isEmpty { return 0 }
    guard low >= FixedPoint.unitLimb, low + limbs.count <= FixedPoint.unitLimb + 2 else { return nil }
    let bits = UInt128(limb(at: FixedPoint.unitLimb + 1)) << 64 | UInt128(limb(at: FixedPoint.unitLimb))
    return Int128(truncatingIfNeeded: bits)
  }

  /// The nearest double, ties to even, at most the largest one of either sign.
  var nearestDouble: Double {
    if isNegative { return 0 - negated().nearestDouble }
    guard let top = limbs.lastIndex(where: { $0 != 0 }) else { return 0 }
    let highest = 64 * (low + top) + 63 - limbs[top].leadingZeroBitCount
    let lowest = max(highest - 52, 64 * FixedPoint.unitLimb - 1074)
    var significand: UInt64 = 0
    for bit in stride(from: highest, through: lowest, by: -1) { significand = significand << 1 | self.bit(bit) }
    let isTieOrAbove = bit(lowest - 1) == 1
    if isTieOrAbove, significand & 1 == 1 || hasBits(below: lowest - 1) { significand += 1 }
    let exponent = lowest - 64 * FixedPoint.unitLimb
    let value = Double(sign: .plus, exponent: exponent, significand: Double(significand))
    return min(value, .greatestFiniteMagnitude)
  }

  private func bit(_ position: Int) -> UInt64 {
    position < 0 ? 0 : limb(at: position / 64) >> UInt64(position % 64) & 1
  }

  private func hasBits(below position: Int) -> Bool {
    guard position > 0 else { return false }
    let (whole, rest) = (position / 64, UInt64(position % 64))
    if limb(at: whole) & ((1 << rest) - 1) != 0 { return true }
    return whole > low && limbs.prefix(whole - low).contains { $0 != 0 }
  }
}
