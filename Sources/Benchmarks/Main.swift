internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Measures the database beside raw LMDB that stores the same bytes, in the same run.
@main
struct Main {
  static func main() async {
    do {
      let arguments = CommandLine.arguments.dropFirst()
      if arguments.first == "history" { return try await HistoryFigures(Array(arguments.dropFirst())).run() }
      if arguments.first == "return" { return try await ReturnFigures(Array(arguments.dropFirst())).run() }
      if arguments.first == "observe" { return try await ObserverFigures(Array(arguments.dropFirst())).run() }
      if arguments.first == "queries" { return try QueryFigures(Array(arguments.dropFirst())).run() }
      if arguments.first == "snapshot" { return try SnapshotFigures(Array(arguments.dropFirst())).run() }
      try await run(try Settings(Array(CommandLine.arguments.dropFirst())))
    } catch is Settings.Usage {
      print(
        "\(Settings.usage)\n\(HistoryFigures.usage)\n\(ReturnFigures.usage)\n\(QueryFigures.usage)\n"
          + "\(SnapshotFigures.usage)\n\(ObserverFigures.usage)")
      exit(64)
    } catch {
      print("benchmarks: \(error)")
      exit(70)
    }
  }

  private static func run(_ settings: Settings) async throws {
    let stage = try Stage(settings)
    if !settings.isJSON { print(Report.heading) }
    var results: [Measurement] = []
    for measure in settings.measures {
      let result = try await measure.run(stage)
      results.append(result)
      try stage.removeCopies()
      if !settings.isJSON { print(Report.line(result)) }
    }
    print(settings.isJSON ? Report.json(results, settings) : Report.legend)
  }
}
