extension ExactSum {
  private static let wideMark: UInt8 = 0xFF

  /// Appends the canonical form:
  /// ```
  /// zigzag varint: count of doubles
  /// an integer     n (0…16) ‖ n bytes, two's complement in its shortest form; 0 has none
  /// any other      0xFF ‖ lowest limb u8 ‖ count of limbs u8 ‖ limbs u64
  /// ```
  package func encode(to writer: inout ByteWriter) {
    writer.zigzag(doubles)
    switch total {
    case .integer(let value):
      let size = ExactSum.size(of: value)
      writer.u8(UInt8(size))
      for index in 0..<size { writer.u8(UInt8(truncatingIfNeeded: value >> Int128(8 * index))) }
    case .wide(let value):
      writer.u8(ExactSum.wideMark)
      writer.u8(UInt8(value.low))
      writer.u8(UInt8(value.limbs.count))
      for limb in value.limbs { writer.u64(limb) }
    }
  }

  /// - Throws: `damaged` for anything that `encode` does not write.
  package static func decode(from reader: inout ByteReader) throws(TreeError) -> ExactSum {
    let doubles = try reader.zigzag("a sum's count of doubles")
    let size = try reader.u8("a sum's size")
    if size == wideMark {
      return ExactSum(doubles: doubles, total: .wide(try decodeWide(from: &reader)))
    }
    guard size <= 16 else { throw reader.damaged("a sum's size", "is \(size), beyond 16") }
    let bytes = try reader.bytes(Int(size), "a sum")
    var value: Int128 = 0
    for (index, byte) in bytes.enumerated() { value |= Int128(byte) << Int128(8 * index) }
    let unused = Int128(8 * (16 - Int(size)))
    if size > 0 { value = (value << unused) >> unused }
    guard ExactSum.size(of: value) == Int(size) else { throw reader.damaged("a sum", "is not in its shortest form") }
    return ExactSum(doubles: doubles, total: .integer(value))
  }

  private static func decodeWide(from reader: inout ByteReader) throws(TreeError) -> FixedPoint {
    let low = Int(try reader.u8("a sum's lowest limb"))
    let count = Int(try reader.u8("a sum's count of limbs"))
    guard count > 0, low + count <= FixedPoint.limbLimit else {
      throw reader.damaged("a sum's count of limbs", "is \(count) from \(low), beyond \(FixedPoint.limbLimit)")
    }
    var limbs: [UInt64] = []
    for _ in 0..<count { limbs.append(try reader.u64("a sum's limb")) }
    let value = FixedPoint(low: low, limbs: limbs)
    guard value.low == low, value.limbs == limbs, value.integer == nil else {
      throw reader.damaged("a sum", "is not in its shortest form")
    }
    guard low > 0 || limbs[0] & FixedPoint.unusedBits == 0 else {
      throw reader.damaged("a sum", "is finer than any double")
    }
    return value
  }

  /// Bytes that hold `value` in two's complement; none for 0.
  private static func size(of value: Int128) -> Int {
    if value == 0 { return 0 }
    let significant = 129 - (value < 0 ? ~value : value).leadingZeroBitCount
    return (significant + 7) / 8
  }
}
