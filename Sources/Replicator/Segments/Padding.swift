/// Lengths that tell little: Padmé (Nikitin et al., "Reducing Metadata Leakage from Encrypted Files", 2019).
package enum Padding {
  /// The lowest length of a class that holds `count`: it tells O(log log count) bits, for at most 12 % more.
  package static func paddedCount(_ count: Int) -> Int {
    if count < 2 { return count }
    let exponent = Int.bitWidth - 1 - count.leadingZeroBitCount
    let kept = Int.bitWidth - exponent.leadingZeroBitCount
    let mask = (1 << (exponent - kept)) - 1
    return (count + mask) & ~mask
  }

  static func padded(_ bytes: consuming [UInt8]) -> [UInt8] {
    let missing = paddedCount(bytes.count) - bytes.count
    bytes.append(contentsOf: repeatElement(0, count: missing))
    return bytes
  }
}
