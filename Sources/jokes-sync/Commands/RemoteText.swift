internal import OfflineTree
internal import Replicator

/// What an exchange did, in words.
enum RemoteText {
  static func print(_ result: RemoteResult, _ console: Console) throws {
    let isEmpty = result.report.sent == 0 && result.report.received == 0
    let outcome =
      result.error == nil ? summary(result.report) : isEmpty ? "failed" : summary(result.report) + ", then failed"
    try console.print("\(address(result.address)): \(outcome)")
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

  static func error(_ result: RemoteResult) -> TreeError? { result.error.map { error($0, of: result.address) } }

  /// The error with the remote that it is about. A folder that is gone is away, as a device is that does not answer.
  static func error(_ error: TreeError, of address: RemoteAddress) -> TreeError {
    let name = address.description
    let context = error.context.hasPrefix(name) ? error.context : "\(name): \(error.context)"
    guard case .folder = address, error.code == .notFound else {
      return TreeError(error.code, context, advice: error.advice, underlying: error.underlying)
    }
    return TreeError(
      .unavailable, context,
      advice: "Mount it or plug it in: what is pending waits. Gone for good: \(Program.name) remote remove \(name).",
      underlying: error.underlying)
  }
}
