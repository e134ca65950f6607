import OfflineTree

extension StateComparison.Question {
  func encode(to writer: inout ByteWriter) {
    switch self {
    case .buckets: writer.u8(0)
    case .parts(let bucket, let from, let end):
      writer.u8(1)
      writer.u8(bucket)
      writer.prefixed(from)
      writer.u8(end == nil ? 0 : 1)
      if let end { writer.prefixed(end) }
    }
  }

  init(decoding reader: inout ByteReader) throws(TreeError) {
    guard try reader.flag("question's kind") else {
      self = .buckets
      return
    }
    let bucket = try reader.u8("bucket")
    let from = Array(try reader.prefixed("first path", limit: PathKey.byteLimit))
    let hasEnd = try reader.flag("end of a range")
    let end = hasEnd ? Array(try reader.prefixed("end of a range", limit: PathKey.byteLimit)) : nil
    self = .parts(bucket: bucket, from: from, end: end)
  }
}

extension StateComparison.Answer {
  func encode(to writer: inout ByteWriter) {
    switch self {
    case .buckets(let clock, let sums):
      writer.u8(0)
      writer.append(clock)
      for sum in sums { Self.encode(sum, to: &writer) }
    case .parts(let parts):
      writer.u8(1)
      writer.varint(parts.count)
      for part in parts {
        writer.prefixed(part.first)
        writer.varint(part.count)
        Self.encode(part.sum, to: &writer)
      }
    }
  }

  init(decoding reader: inout ByteReader) throws(TreeError) {
    guard try reader.flag("answer's kind") else {
      let clock = try reader.bytes32("clock's digest")
      var sums: [UInt128] = []
      for _ in 0..<StateComparison.buckets { sums.append(try Self.sum(&reader)) }
      self = .buckets(clock: clock, sums)
      return
    }
    var parts: [StateComparison.Part] = []
    for _ in 0..<(try reader.count("parts", limit: StateComparison.parts)) {
      let first = Array(try reader.prefixed("first path of a part", limit: PathKey.byteLimit))
      let count = try reader.count("paths of a part", limit: Int.max)
      parts.append(StateComparison.Part(first: first, count: count, sum: try Self.sum(&reader)))
    }
    self = .parts(parts)
  }

  private static func encode(_ sum: UInt128, to writer: inout ByteWriter) {
    writer.u64(UInt64(truncatingIfNeeded: sum))
    writer.u64(UInt64(truncatingIfNeeded: sum >> 64))
  }

  private static func sum(_ reader: inout ByteReader) throws(TreeError) -> UInt128 {
    let low = UInt128(try reader.u64("sum"))
    return low | UInt128(try reader.u64("sum")) << 64
  }
}
