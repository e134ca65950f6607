internal import Dispatch
public import OfflineTree

/// What came of one exchange with one remote.
public struct RemoteResult: Sendable {
  public let address: RemoteAddress
  /// What was done; when an error ended it early, what was done before.
  public var report: SyncReport
  public var error: TreeError?
}

extension Replicator {
  /// Exchanges with every remote once. One that fails does not keep the others from it.
  ///
  /// What a later remote brought is passed on to the folders before it.
  ///
  /// - Returns: A result a remote, in their order.
  /// - Throws: Only if the list of remotes cannot be read.
  public func syncOnce() async throws -> [RemoteResult] {
    var results: [RemoteResult] = []
    var folders: [Int: FolderExchangeBox] = [:]
    for address in try remotes() {
      let problems = ProblemBox()
      switch address {
      case .folder(let path):
        let box = FolderExchangeBox(makeExchange(path, address, problems), problems)
        folders[results.count] = box
        let (report, error) = await box.exchange()
        results.append(RemoteResult(address: address, report: report, error: error))
      case .tcp(let host, let port):
        results.append(await syncOnce(host: host, port: port, address, problems))
      }
    }
    for (place, box) in folders where results[place].error == nil {
      guard results[(place + 1)...].contains(where: { $0.report.received > 0 }) else { continue }
      let (report, error) = await box.exchange()
      results[place].report.add(report)
      results[place].error = error
    }
    for result in results {
      try records.setOutcome(
        RemoteRecords.Outcome(time: environment.wallClock(), problems: Self.problems(result.report, result.error)),
        remote: result.address.description)
    }
    try compactIfDue(after: Self.daySeconds)
    return results
  }

  private func makeExchange(_ path: String, _ address: RemoteAddress, _ problems: ProblemBox) -> FolderExchange {
    FolderExchange(database: database, root: path) { [self] event in
      problems.attempt { try keep(event, remote: address.description, isWhole: false) }
    }
  }

  private func syncOnce(host: String, port: Int, _ address: RemoteAddress, _ problems: ProblemBox) async -> RemoteResult
  {
    let peer = TCPPeer(database: database, host: host, port: port) { [self] event in
      problems.attempt { try keep(event, remote: address.description, isWhole: true) }
    }
    problems.attempt { try database.upkeep() }
    do {
      return RemoteResult(address: address, report: try await peer.syncOnce(), error: problems.first)
    } catch {
      return RemoteResult(address: address, report: SyncReport(), error: TreeError(anyError: error))
    }
  }

  /// Sentences that `status` shows later.
  static func problems(_ report: SyncReport, _ error: TreeError?) -> [String] {
    (error.map { [$0.description] } ?? []) + report.notes + report.holes.map(\.reason)
      + report.refused.map { "\($0.name): \($0.error)" }
  }
}

/// The first error of calls that have nobody to throw to.
private final class ProblemBox: Sendable {
  private let problem = Monitor<TreeError?>(nil)

  var first: TreeError? { problem.withLock { $0 } }

  func attempt(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      problem.withLock { $0 = $0 ?? TreeError(anyError: error) }
    }
  }
}

/// Takes an exchange, which blocks, off the cooperative pool; one call at a time.
private final class FolderExchangeBox: @unchecked Sendable {
  // Touched on `queue` only.
  private let folder: FolderExchange
  private let problems: ProblemBox
  private let queue = DispatchQueue(label: "OfflineTree.FolderExchange")

  init(_ folder: sending FolderExchange, _ problems: ProblemBox) {
    self.folder = folder
    self.problems = problems
  }

  func exchange() async -> (report: SyncReport, error: TreeError?) {
    await withCheckedContinuation { continuation in
      queue.async {
        let (report, error) = self.folder.exchange()
        continuation.resume(returning: (report, error ?? self.problems.first))
      }
    }
  }
}

extension SyncReport {
  /// Adds what a second exchange with the same remote did.
  mutating func add(_ later: SyncReport) {
    let (sent, received, duplicates, fetched, notes) = (sent, received, duplicates, fetched, notes)
    self = later
    self.sent += sent
    self.received += received
    self.duplicates += duplicates
    self.fetched += fetched
    self.notes = notes + later.notes.filter { note in !notes.contains { $0.utf8.elementsEqual(note.utf8) } }
  }
}
