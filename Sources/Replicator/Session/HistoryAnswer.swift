package import OfflineTree

/// What came of one gap that was asked for: all of its changes, or none.
package struct HistoryAnswer: Equatable, Sendable {
  package var log: LogID
  package var first: UInt64
  package var last: UInt64
  package var hashBefore: Bytes32
  /// Nil if not all of them are there.
  package var bodies: [ArraySlice<UInt8>]?

  package init(to gap: HistoryGap, bodies: [ArraySlice<UInt8>]?) {
    (log, first, last, hashBefore) = (gap.log, gap.first, gap.last, gap.hashBefore)
    self.bodies = bodies
  }

  /// What it counts for flow.
  var weight: Int { bodies?.reduce(0) { $0 + $1.count } ?? 0 }

  /// As it can be filled in.
  var run: ChangeRun? { bodies.map { ChangeRun(log: log, first: first, hashBefore: hashBefore, bodies: $0) } }

  /// Is it the answer to that gap?
  func answers(_ gap: HistoryGap) -> Bool {
    log == gap.log && first == gap.first && last == gap.last && hashBefore == gap.hashBefore
  }
}

extension HistoryAnswer {
  func encode(to writer: inout ByteWriter) {
    writer.append(log)
    writer.u64(first)
    writer.u64(last)
    writer.append(hashBefore)
    writer.u8(bodies == nil ? 0 : 1)
    for body in bodies ?? [] {
      writer.varint(body.count)
      writer.append(body)
    }
  }

  init(decoding reader: inout ByteReader) throws(TreeError) {
    log = try reader.bytes16("log")
    first = try reader.u64("first number")
    last = try reader.u64("last number")
    hashBefore = try reader.bytes32("hash before")
    let count = try HistoryGap.count(first, last, reader)
    guard try reader.flag("history") else { return }
    var bodies: [ArraySlice<UInt8>] = []
    for _ in 0..<count {
      let body = try reader.prefixed("change", limit: Limits.changeBytes)
      if body.isEmpty { throw reader.damaged("change", "is empty") }
      bodies.append(body)
    }
    self.bodies = bodies
  }
}

extension HistoryGap {
  func encode(to writer: inout ByteWriter) {
    writer.append(log)
    writer.u64(first)
    writer.u64(last)
    writer.append(hashBefore)
    writer.append(head)
  }

  init(decoding reader: inout ByteReader) throws(TreeError) {
    let log = try reader.bytes16("log")
    let (first, last) = (try reader.u64("first number"), try reader.u64("last number"))
    _ = try Self.count(first, last, reader)
    let before = try reader.bytes32("hash before")
    self.init(log: log, first: first, last: last, hashBefore: before, head: try reader.bytes32("head"))
  }

  static func count(_ first: UInt64, _ last: UInt64, _ reader: ByteReader) throws(TreeError) -> Int {
    guard first <= last, last < Limits.changesPerLog, last - first < Limits.historyBlock else {
      throw reader.damaged("gap", "is from \(first) to \(last)")
    }
    return Int(last - first) + 1
  }
}

extension Message {
  static func gaps(_ reader: inout ByteReader) throws(TreeError) -> [HistoryGap] {
    let count = try reader.count("gaps", limit: ProtocolLimits.gaps)
    if count == 0 { throw reader.damaged("gaps", "are none") }
    var gaps: [HistoryGap] = []
    for _ in 0..<count { gaps.append(try HistoryGap(decoding: &reader)) }
    return gaps
  }
}
