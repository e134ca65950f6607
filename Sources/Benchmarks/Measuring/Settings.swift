/// What the command line asks for.
struct Settings {
  static let usage = """
    usage: script/bench [--quick] [--json] [--only NAME[,NAME]] [--ours]
                        [--samples NUMBER] [--seed NUMBER]
      --quick   a tenth of the jokes, fewer samples
      --json    the results as one JSON document
      --only    these measures alone: \(Measure.allCases.map(\.rawValue).joined(separator: ", "))
      --ours    leave the raw side out, for a profiler
      --samples how many of each measure count
      --seed    another workload
    """

  var isQuick = false
  var isJSON = false
  var measures = Measure.allCases
  /// Is the raw side left out?
  var isAlone = false
  var seed: UInt64 = 1

  /// Jokes in the database before anything is measured.
  var jokes: Int { isQuick ? 10_000 : 100_000 }
  var samples: Int { wantedSamples ?? (isQuick ? 5 : 7) }
  private var wantedSamples: Int?

  struct Usage: Error {}

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--quick": isQuick = true
      case "--json": isJSON = true
      case "--ours": isAlone = true
      case "--only":
        measures = try (rest.popFirst() ?? "").split(separator: ",").map { name in
          guard let measure = Measure(rawValue: String(name)) else { throw Usage() }
          return measure
        }
      case "--samples": wantedSamples = Int(try Settings.number(rest.popFirst(), in: 1...1_000))
      case "--seed": seed = try Settings.number(rest.popFirst(), in: 0...UInt64.max)
      default: throw Usage()
      }
    }
  }

  private static func number(_ text: String?, in range: ClosedRange<UInt64>) throws -> UInt64 {
    guard let number = text.flatMap({ UInt64($0) }), range.contains(number) else { throw Usage() }
    return number
  }
}
