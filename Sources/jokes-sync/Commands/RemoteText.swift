internal import OfflineTree
internal import Replicator

/// What an exchange did, in words.
enum RemoteText {
  /// - Returns: What went wrong, if something did.
  static func print(_ result: RemoteResult, _ console: Console) throws -> TreeError? {
    let address = TerminalText.line(result.address.description)
    switch result.result {
    case .failure(let error):
      try console.print("\(address): failed")
      return TreeError(
        error.code, "\(result.address): \(error.context)", advice: error.advice, underlying: error.underlying)
    case .success(let report):
      try console.print("\(address): sent \(report.sent), received \(report.received)")
      for note in report.notes { console.report("note: \(note)") }
      for hole in report.holes {
        console.report(
          "waiting: changes \(hole.first) to \(hole.last) of log \(hole.log) are not complete: \(hole.reason)")
      }
      if report.incomplete > 0 {
        console.report("waiting: \(report.incomplete) files are not complete yet. Sync again when they have arrived.")
      }
      for refusal in report.refused { console.report("not taken: \(refusal.name): \(refusal.error)") }
      return nil
    }
  }
}
