package import OfflineTree

/// One shared folder as one database uses it.
///
/// Blocks on disks: not for the cooperative pool. Not safe to share: its owner calls it from one place at a time.
package final class FolderExchange {
  let database: Database
  let root: String
  /// The folder that this home alone writes to, below the root.
  package let home: String
  let environment: Environment
  var files: any Files { environment.files }
  let events: @Sendable (PeerEvent) -> Void
  var index: FolderIndex
  /// By home: the counter of the acknowledgement that was last told of.
  var told: [PeerIdentity: UInt64] = [:]
  /// The same for all that keepers' homes have.
  var toldKeepers: [PeerIdentity: UInt64] = [:]
  /// The log of ours that others knew more of, if the user was told.
  var toldCopied: LogID?
  /// Where the check of whole files goes on.
  var checkedThrough: FolderName?
  /// What the database had when nothing of the folder could be read any more, and what was missing then.
  var settled: (clock: VectorClock, holes: [SyncReport.Hole])?
  /// Sets of checkpoints that turned out to be of no use. By all that their headers say: beside the right one somebody can
  /// put others with its id.
  var uselessSets: Set<CheckpointPart.Whole> = []
  /// Those that a newcomer would take.
  var takableSets: Set<CheckpointPart.Whole> = []
  /// The home's own checkpoint, while its file stays the same.
  var knownCheckpoint: OwnCheckpoint?
  /// When there was last nothing to do for chunks.
  var chunkState: ChunkState?
  /// What this home has, as it was last summed up.
  var stated: Statement?
  /// More small files of one log than this are merged.
  package var smallFiles = 16
  /// The last look found the folder as the one before had left it, and nothing was written.
  package private(set) var isQuiet = false

  package init(
    database: Database, root: String, events: @escaping @Sendable (PeerEvent) -> Void = { _ in }
  ) {
    self.database = database
    self.root = root
    environment = database.environment
    self.events = events
    home = hexadecimal(database.homeToken.bytes)
    index = FolderIndex(root: root, files: database.environment.files)
  }

  /// Reads what is new, then publishes what the folder lacks, then says what this home has.
  ///
  /// - Returns: What was done, and the error that ended it early, if one did: what was read before stays.
  package func exchange() -> (report: SyncReport, error: TreeError?) {
    var report = SyncReport()
    do {
      let lock = try waitForLock()
      defer { withExtendedLifetime(lock) {} }
      try requireSameFolder()
      let own = try database.read { try $0.logs().filter(\.isOwn).map(\.introduced) }
      index.interest = FolderIndex.Interest(own: database.identity, logs: Set(own))
      let hasChanged = try index.refresh(try database.epochs(), now: environment.monotonicClock())
      if hasChanged { settled = nil }
      try readAll(&report)
      keepUp(&report)
      index.setKeys(try database.epochs())
      checkWholeFiles()
      describeProblems(&report)
      try tellAcknowledgements(&report)
      try tellKeepers()
      try publish(&report)
      try mergeSmallFiles()
      let hasAcknowledged = try acknowledge()
      try compareStates(&report)
      noteFolder(&report)
      let hasPublished = publishCheckpoint(&report)
      let hasChunks = exchangeChunks(&report)
      isQuiet =
        !hasChanged && !hasAcknowledged && !hasPublished && !hasChunks && report.sent == 0 && report.received == 0
      if report.received > 0 { events(.received(report.received)) }
      return (report, nil)
    } catch {
      isQuiet = false
      return (report, TreeError(anyError: error))
    }
  }

  /// What the space needs of this device; what does not work keeps nobody from the exchange.
  private func keepUp(_ report: inout SyncReport) {
    do {
      try database.upkeep()
    } catch {
      report.notes.append("What the space needs of this device could not be done: \(error)")
    }
  }

  /// Folders below the root that this home does not write to.
  func foldersOfOthers() -> [String] {
    index.folders.filter { !$0.utf8.elementsEqual(home.utf8) }.map { "\(root)/\($0)" }
  }

  /// Two processes of one home would write, merge and delete in one folder: each waits for the other.
  private func waitForLock() throws(TreeError) -> PublisherLock {
    let home = try Home(existing: database.home)
    let deadline = environment.monotonicClock() &+ 10_000_000_000
    while true {
      do throws(TreeError) {
        return try PublisherLock(home)
      } catch  where error.code == .unavailable && environment.monotonicClock() < deadline {
        environment.files.pause(milliseconds: 20)
      }
    }
  }

  private func describeProblems(_ report: inout SyncReport) {
    report.refused += index.problems
    var locked: [FolderName] = []
    for entry in index.entries.values.sorted(by: { $0.name < $1.name }) {
      switch entry.content {
      case .locked: locked.append(entry.name)
      case .foreign: report.foreign += 1
      case .incomplete: report.incomplete += 1
      case .unreadable(let error):
        report.refused.append(SyncReport.Refusal(name: entry.name.description, error: error))
      case .segment, .acknowledgement, .checkpoint, .chunk: break
      }
    }
    noteLocked(locked, &report)
    if index.isOverfull {
      report.notes.append(
        "\(root) has more than \(FolderIndex.maximumFiles) files; the rest is not looked at. Use a folder of its own.")
    }
    if index.isUnheard {
      report.notes.append(
        "\(root) has more acknowledgements than there is room for: what some devices have is not known.")
    }
  }

  private func noteLocked(_ names: [FolderName], _ report: inout SyncReport) {
    report.locked = names.map(\.description)
    guard let first = names.first else { return }
    let files = names.count == 1 ? "The file \(first) is" : "\(names.count) files (\(first) is the first) are"
    report.notes.append(
      "\(files) sealed with a key that this device does not have: of another space, or the key has not come yet.")
  }

  private func tellAcknowledgements(_ report: inout SyncReport) throws(TreeError) {
    var told: [PeerIdentity: UInt64] = [:]
    for (peer, acknowledgement) in index.acknowledgements where peer != database.identity {
      // Who was removed has what it had; it is no copy that anybody can count on.
      guard try database.standing(of: peer.deviceKey) == .member else { continue }
      report.peers.append(SyncReport.Peer(identity: acknowledgement.peer, wallTime: acknowledgement.wallTime))
      told[peer] = acknowledgement.counter
      if self.told[peer] == acknowledgement.counter { continue }
      events(.acknowledged(acknowledgement.peer, acknowledgement.clock, wallTime: acknowledgement.wallTime))
    }
    self.told = told
    report.peers.sort { $0.identity < $1.identity }
  }
}

extension TreeError {
  /// The error itself, or one that carries the words of another kind.
  init(anyError error: any Error) {
    self = error as? TreeError ?? TreeError(.internal, "unexpected error", underlying: "\(error)")
  }
}
