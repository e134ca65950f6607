internal import OfflineTree
internal import Replicator

/// What an exchange did, in words.
enum RemoteText {
  static func print(_ result: RemoteResult, _ console: Console) throws {
    let outcome = result.error == nil ? "" : ", then failed"
    try console.print("\(address(result.address)): \(summary(result.report))\(outcome)")
    report(result.report, console)
  }

  static func address(_ address: RemoteAddress) -> String { TerminalText.line(address.description) }

  static func summary(_ report: SyncReport) -> String { "sent \(report.sent), received \(report.received)" }

  /// What keeps the exchange from being complete.
  static func report(_ report: SyncReport, _ console: Console) {
    for note in report.notes { console.report("note: \(note)") }
    for hole in report.holes {
      console.report("waiting: changes \(hole.first) to \(hole.last) of log \(hole.log): \(hole.reason)")
    }
    if report.incomplete > 0 {
      console.report("waiting: \(report.incomplete) files are not complete yet. Sync again when they have arrived.")
    }
    for refusal in report.refused { console.report("not taken: \(refusal.name): \(refusal.error)") }
  }

  /// The error with the remote that it is about.
  static func error(_ result: RemoteResult) -> TreeError? {
    result.error.map {
      TreeError($0.code, "\(result.address): \($0.context)", advice: $0.advice, underlying: $0.underlying)
    }
  }
}
