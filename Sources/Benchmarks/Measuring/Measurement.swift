internal import OfflineTree

/// How long the same work took on both sides.
struct Times {
  var ours = Duration.zero
  var raw = Duration.zero

  static func += (left: inout Times, right: Times) {
    left.ours += right.ours
    left.raw += right.raw
  }
}

/// One measure: several samples of a number of operations each.
struct Measurement {
  let name: String
  /// What is counted.
  let unit: String
  /// What a commit waits for, on both sides; nil where nothing is written.
  let durability: String?
  /// Operations in a sample.
  let operations: Int
  let samples: [Times]

  /// Operations a second, and what the raw environment's time is of ours.
  var ours: Spread { Spread(samples.map { Double(operations) / $0.ours.seconds }) }
  var raw: Spread { Spread(samples.map { Double(operations) / $0.raw.seconds }) }
  var ratio: Spread { Spread(samples.map { $0.raw.seconds / $0.ours.seconds }) }

  /// Below this ratio the documentation owes an explanation.
  var expectedRatio: Double {
    switch name {
    case "vote": 0.2
    // Sealing and signing may take 15 % of a sync.
    case "sync": 0.85
    // Rules may take 10 % of the time in which changes are applied.
    case "rules": 0.9
    default: 0.4
    }
  }
}

/// The least, the middle and the greatest of some numbers.
struct Spread {
  let least: Double
  let median: Double
  let greatest: Double

  /// - Precondition: there is a number.
  init(_ numbers: [Double]) {
    let sorted = numbers.sorted()
    least = sorted[0]
    median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    greatest = sorted[sorted.count - 1]
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
