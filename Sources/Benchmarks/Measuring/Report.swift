internal import OfflineTree

/// How results are shown.
enum Report {
  static let heading =
    "measure".padded(12) + "a second: ours".padded(32) + "raw LMDB".padded(34) + "ratio".padded(22) + "commits"

  /// One line: least, median and greatest of both sides and of their ratio.
  static func line(_ result: Measurement) -> String {
    let (ours, raw, ratio) = (result.ours, result.raw, result.ratio)
    let mark = ratio.median < result.expectedRatio ? " <" : ""
    return result.name.padded(12) + rates(ours).padded(32) + rates(raw).padded(34)
      + "\(fixed(ratio.least)) \(fixed(ratio.median)) \(fixed(ratio.greatest))\(mark)".padded(22)
      + (result.durability ?? "-")
  }

  static let legend =
    """
    Least, median, greatest of the samples. Ratio: raw LMDB's time for the same rows, of ours; of sync: what would be left \
    of the time without compressing, sealing, opening and checking signatures. <: worth a profile.
    """

  static func json(_ results: [Measurement], _ settings: Settings) -> String {
    var writer = JSONWriter(pretty: true)
    writer.beginObject()
    writer.key("jokes")
    writer.int(Int64(settings.jokes))
    writer.key("seed")
    writer.string("\(settings.seed)")
    writer.key("measures")
    writer.beginArray()
    for result in results {
      writer.beginObject()
      for (name, text) in [("name", result.name), ("unit", result.unit), ("durability", result.durability ?? "none")] {
        writer.key(name)
        writer.string(text)
      }
      for (name, number) in [("operations", result.operations), ("samples", result.samples.count)] {
        writer.key(name)
        writer.int(Int64(number))
      }
      for (name, spread) in [
        ("oursPerSecond", result.ours), ("rawPerSecond", result.raw), ("ratio", result.ratio),
      ] {
        writer.key(name)
        writer.value([
          "least": .double(spread.least), "median": .double(spread.median), "greatest": .double(spread.greatest),
        ])
      }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return String(decoding: writer.take(), as: UTF8.self)
  }

  private static func rates(_ spread: Spread) -> String {
    [spread.least, spread.median, spread.greatest].map(rate).joined(separator: " ")
  }

  private static func rate(_ value: Double) -> String {
    switch value {
    case 1_000_000...: "\(fixed(value / 1_000_000))M"
    case 1_000...: "\((value / 100).rounded() / 10)k"
    default: "\((value * 10).rounded() / 10)"
    }
  }

  private static func fixed(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}

extension String {
  fileprivate func padded(_ width: Int) -> String {
    self + String(repeating: " ", count: max(1, width - utf8.count))
  }
}
