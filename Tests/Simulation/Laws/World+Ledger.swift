import OfflineTree
import Replicator
import TestSupport

extension World {
  /// Nothing that was answered is lost, and what was counted was counted once.
  func checkLedger(_ device: SimulatedDevice) throws {
    var tallies: [String: Int64] = [:]
    let members = Set(try participants().map(\.person)).subtracting(ledger.expelled)
    for answer in ledger.answers where members.contains(answer.person) {
      let isThere = try device.database.hasChange(answer.position)
      if !isThere, !ledger.excused.contains(answer.position) {
        throw Violation(
          law: "nothing answered is lost",
          details: "change \(answer.position.seq) of the log \(answer.position.log), answered by \(answer.device)")
      }
      guard isThere else { continue }
      tallies[answer.person, default: 0] += answer.amount
      if let joke = answer.joke { try checkJoke(joke, answer, device) }
    }
    for (person, tally) in tallies where tally != 0 {
      let shown = try device.database.read { try $0.scalar(at: PathKey("tally/\(person)").path) }
      if shown != .int(tally) {
        throw Violation(
          law: "what was counted was counted once",
          details: "\(person) counted \(tally), and \(shown.map { "\($0)" } ?? "nothing") shows")
      }
    }
  }

  private func checkJoke(_ joke: Key, _ answer: Ledger.Answer, _ device: SimulatedDevice) throws {
    let text = try device.database.read { try $0.scalar(at: PathKey("own/\(joke.text)/text").path) }
    if text != .string(answer.text) {
      throw Violation(law: "add-only means add-only", details: "the joke \(joke.text) of \(answer.device) is gone")
    }
  }

  /// A home removes a file of its own only when others of its own hold all that is in it.
  func checkRemoved(_ device: SimulatedDevice) throws {
    let removed = device.files.takeRemoved()
    if removed.isEmpty { return }
    let keys = Dictionary(
      try device.database.epochs().known.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let gone = Set(removed.map(\.path))
    for removal in removed {
      // What is damaged holds nothing.
      guard let segment = try? SealedSegment(opening: removal.file.bytes, known: keys) else { continue }
      var left: Set<Bytes32> = []
      for (path, file) in removal.left where path.hasPrefix(device.exchange.home + "/") && !gone.contains(path) {
        guard let other = try? SealedSegment(opening: file.bytes, known: keys) else { continue }
        left.formUnion(try other.run.records().map(\.hash))
      }
      for record in try segment.run.records() where !left.contains(record.hash) {
        throw Violation(
          law: "a file goes only when another holds what it held",
          details: "\(device.name) removed \(removal.path) with change \(record.seq) of the log \(record.log)")
      }
    }
  }
}
