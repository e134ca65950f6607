import Foundation
import OfflineTree
import Simulation
import TestSupport

/// Runs histories from their seeds, or one from its text: docs/simulation.md.
@main struct Simulate {
  private static let usage = """
    usage: simulate [FIRST] [COUNT] [--mix MIX] [--trace] [--shrink] [--jobs N] [--keep-going]
           simulate --story FILE
    MIX is one of \(Mix.allCases.map(\.rawValue).joined(separator: ", ")).
    """

  struct Options: Sendable {
    var first: UInt64 = 0
    var count: UInt64 = 1_000
    var mix: Mix?
    var isTraced = false
    var isShrunk = false
    var keepsGoing = false
    var jobs = 2
    var story: String?
  }

  static func main() throws {
    makeHashingTheSame()
    guard let options = parsed(Array(CommandLine.arguments.dropFirst())) else {
      FileHandle.standardError.write(Data("\(usage)\n".utf8))
      exit(64)
    }
    if let story = options.story { return try replay(story) }
    let start = ContinuousClock().now
    let next = Monitor(options.first)
    let failures = Monitor(0)
    let end = options.first + options.count
    DispatchQueue.concurrentPerform(iterations: options.jobs) { _ in
      do {
        let stable = try Stable()
        while let seed = next.withLock({ next -> UInt64? in
          defer { next += 1 }
          return next < end ? next : nil
        }) {
          if !options.keepsGoing, failures.withLock({ $0 }) > 0 { return }
          if options.isTraced { say(StoryMaker.story(seed, options.mix)) }
          if let text = failure(seed, options, stable) {
            failures.withLock { $0 += 1 }
            say(text)
          }
        }
      } catch {
        failures.withLock { $0 += 1 }
        say("no homes: \(error)")
      }
    }
    let seconds = (ContinuousClock().now - start) / .seconds(1)
    let done = min(next.withLock { $0 }, end) - options.first
    let failed = failures.withLock { $0 }
    say(
      "\(done) histories, \(failed) failed, \(Int(seconds * 10)) tenths of a second, \(Int(Double(done) / seconds)) a second"
    )
    let tally = Simulator.tally.withLock { $0 }
    say(
      "\(tally.answers) writes answered, \(tally.droppedChanges) changes dropped, \(tally.forks) logs forked, "
        + "\(tally.voids) changes void")
    if failed > 0 { exit(1) }
  }

  private static func failure(_ seed: UInt64, _ options: Options, _ stable: Stable) -> String? {
    if options.isShrunk { return Simulator.failure(seed, options.mix, in: stable) }
    return Simulator.violation(of: StoryMaker.story(seed, options.mix), in: stable).map { "seed \(seed): \($0)" }
  }

  private static func replay(_ path: String) throws {
    let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    guard let violation = Simulator.violation(of: try Story(text: text), in: try Stable()) else {
      return say("It breaks no law.")
    }
    say(violation)
    exit(1)
  }

  /// At once, so that nothing is lost when a long run is ended.
  private static func say(_ text: Any) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

  /// The order of Swift's sets and dictionaries differs from process to process; here a seed is to say everything.
  private static func makeHashingTheSame() {
    let name = "SWIFT_DETERMINISTIC_HASHING"
    if ProcessInfo.processInfo.environment[name] != nil { return }
    unsafe setenv(name, "1", 1)
    var arguments = unsafe CommandLine.arguments.map { unsafe strdup($0) } + [nil]
    unsafe execv("/proc/self/exe", &arguments)
  }

  /// Nil for anything that is not understood.
  private static func parsed(_ arguments: [String]) -> Options? {
    var options = Options()
    var numbers: [UInt64] = []
    var rest = arguments[...]
    while let word = rest.popFirst() {
      switch word {
      case "--trace": options.isTraced = true
      case "--shrink": options.isShrunk = true
      case "--keep-going": options.keepsGoing = true
      case "--mix":
        guard let mix = rest.popFirst().flatMap(Mix.init(rawValue:)) else { return nil }
        options.mix = mix
      case "--jobs":
        guard let jobs = rest.popFirst().flatMap({ Int($0) }), jobs > 0 else { return nil }
        options.jobs = jobs
      case "--story":
        guard let story = rest.popFirst() else { return nil }
        options.story = story
      default:
        guard let number = UInt64(word) else { return nil }
        numbers.append(number)
      }
    }
    guard numbers.count <= 2, options.story == nil || arguments.count == 2 else { return nil }
    if let first = numbers.first { options.first = first }
    if numbers.count > 1 { options.count = numbers[1] }
    return options.first.addingReportingOverflow(options.count).overflow ? nil : options
  }
}
