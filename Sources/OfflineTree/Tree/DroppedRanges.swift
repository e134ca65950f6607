/// Which changes of a log were dropped: ranges of numbers in order, with something between any two.
struct DroppedRanges: Equatable, Sendable {
  private(set) var ranges: [Range<UInt64>] = []

  var isEmpty: Bool { ranges.isEmpty }
  /// The number behind the last one that was dropped; 0 if none was.
  var end: UInt64 { ranges.last?.upperBound ?? 0 }
  var count: UInt64 { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) } }

  /// The range that holds a number, or the next one. O(log ranges).
  func range(atOrAfter number: UInt64) -> Range<UInt64>? {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound <= number { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count ? ranges[low] : nil
  }

  func contains(_ number: UInt64) -> Bool { range(atOrAfter: number)?.contains(number) ?? false }

  func overlaps(_ first: UInt64, _ last: UInt64) -> Bool {
    range(atOrAfter: first).map { $0.lowerBound <= last } ?? false
  }

  /// The last dropped number among those from `first` to `last`.
  func last(from first: UInt64, through last: UInt64) -> UInt64? {
    guard let range = ranges.last(where: { $0.lowerBound <= last }), range.upperBound > first else { return nil }
    return min(last, range.upperBound - 1)
  }

  mutating func insert(_ new: Range<UInt64>) {
    let touching = ranges.filter { $0.upperBound >= new.lowerBound && $0.lowerBound <= new.upperBound }
    let low = min(new.lowerBound, touching.first?.lowerBound ?? new.lowerBound)
    let high = max(new.upperBound, touching.last?.upperBound ?? new.upperBound)
    ranges.removeAll { $0.upperBound >= new.lowerBound && $0.lowerBound <= new.upperBound }
    let place = ranges.firstIndex { $0.lowerBound > low } ?? ranges.count
    ranges.insert(low..<high, at: place)
  }

  mutating func remove(_ old: Range<UInt64>) {
    ranges = ranges.flatMap { range -> [Range<UInt64>] in
      guard range.overlaps(old) else { return [range] }
      let left = range.lowerBound..<max(range.lowerBound, old.lowerBound)
      let right = min(range.upperBound, old.upperBound)..<range.upperBound
      return [left, right].filter { !$0.isEmpty }
    }
  }
}

extension DroppedRanges {
  func encode(to writer: inout ByteWriter) {
    writer.varint(ranges.count)
    for range in ranges {
      writer.varint(range.lowerBound)
      writer.varint(range.upperBound - range.lowerBound)
    }
  }

  static func decode(_ reader: inout ByteReader) throws(TreeError) -> DroppedRanges {
    var dropped = DroppedRanges()
    for _ in 0..<(try reader.count("dropped ranges", limit: reader.remaining)) {
      let first = try reader.varint("first dropped number")
      let count = try reader.varint("dropped numbers")
      let (end, overflow) = first.addingReportingOverflow(count)
      guard !overflow, count > 0, first >= dropped.end else {
        throw reader.damaged("dropped ranges", "are not in order")
      }
      dropped.ranges.append(first..<end)
    }
    return dropped
  }
}
