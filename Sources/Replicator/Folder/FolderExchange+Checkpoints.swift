internal import OfflineTree

/// Beginning with a checkpoint that stands in the folder.
extension FolderExchange {
  /// Sets for which the founder's device vouches that are tried in one exchange: who can read them can put others beside
  /// them that begin alike.
  static let setsTried = 8

  /// Sets of the folder that did not turn out to be of no use, the newest first.
  func candidates() -> [CheckpointSet] {
    let sets = CheckpointSet.all(in: index)
    // Of what is gone nothing need be known.
    let there = Set(sets.map(\.whole))
    uselessSets.formIntersection(there)
    takableSets.formIntersection(there)
    return sets.filter { !uselessSets.contains($0.whole) }
  }

  /// In a home that has nothing of its space yet: takes the newest checkpoint of the folder that is whole and for which
  /// the founder's device vouches. What does not come of it is told, and the history is read instead.
  ///
  /// - Returns: Whether this home has begun with one.
  func beginWithCheckpoint(_ report: inout SyncReport) throws(TreeError) -> Bool {
    guard try database.clock().positions.isEmpty else { return false }
    let sets = candidates()
    if sets.isEmpty { return false }
    var (tried, problems) = (0, [TreeError]())
    for set in sets where tried < Self.setsTried {
      do throws(TreeError) {
        guard let parts = try vouchedParts(of: set) else { continue }
        tried += 1
        let file = try gather(parts, of: set.whole)
        try database.begin(with: try CheckpointBundle(reading: file), floors: [])
        try FileSystem.remove(file.path)
        tell(problems, &report)
        report.hasBegunWithCheckpoint = true
        return true
      } catch {
        judge(set, error)
        problems.append(error)
      }
    }
    tell(problems, &report)
    try FileSystem.remove(database.newCheckpointPath)
    let text = "No checkpoint in the folder is whole and can be taken: the history is read instead."
    // Keys that come meanwhile are a reason to look again.
    if report.notes.last != text { report.notes.append(text) }
    return false
  }

  private func tell(_ problems: [TreeError], _ report: inout SyncReport) {
    for problem in problems.prefix(Self.setsTried) {
      report.notes.append("A checkpoint in the folder was not taken: \(problem)")
    }
    if problems.count > Self.setsTried {
      report.notes.append("\(problems.count - Self.setsTried) more were not taken.")
    }
  }

  /// Remembers that a set is of no use, if that is why it was not taken: disks that are full or fail, and parts that are gone
  /// at the moment, say nothing of it.
  func judge(_ set: CheckpointSet, _ error: TreeError) {
    switch error.code {
    case .damaged, .refused, .limitExceeded, .unsupportedVersion: uselessSets.insert(set.whole)
    default: break
    }
  }

  /// The files of a set that is whole by its headers, if the founder's device vouches for it in what it begins with: whoever
  /// can seal files can write any header.
  ///
  /// - Returns: Nil if it is not whole.
  /// - Throws: `.notFound` if a file is gone, or why nobody vouches.
  func vouchedParts(of set: CheckpointSet) throws(TreeError) -> [[CheckpointSet.File]]? {
    guard let parts = set.parts else { return nil }
    guard let beginning = open(parts[0]) else { throw Self.partIsGone }
    guard try database.vouchedPosition(inBeginning: beginning) == set.whole.vouched else {
      throw TreeError(.damaged, "it is not the one that the headers of its parts name")
    }
    return parts
  }

  private static let partIsGone = TreeError(.notFound, "a part of it is gone, or is not what its header says")

  /// Puts the parts together in the home, each held against its hash; no more than one of them is in memory. If that fails
  /// nothing is left of it.
  func gather(
    _ parts: [[CheckpointSet.File]], of whole: CheckpointPart.Whole
  ) throws(TreeError) -> LocalFile {
    let file = try LocalFile(replacing: database.newCheckpointPath)
    do throws(TreeError) {
      for candidates in parts {
        guard let content = open(candidates) else { throw Self.partIsGone }
        try file.append(content)
      }
    } catch {
      try FileSystem.remove(file.path)
      throw error
    }
    return file
  }

  /// The content of the first of these files that is what its header says.
  private func open(_ files: [CheckpointSet.File]) -> [UInt8]? {
    for file in files {
      do throws(TreeError) {
        let limit = SealedOuter.Kind.checkpoint.maximumFileBytes
        let bytes = try self.files.read(index.path(file.name), maximumBytes: limit)
        let (part, content) = try CheckpointPart.open(bytes, known: index.keys)
        index.entries[file.name]?.isVerified = true
        if part == file.part { return content }
      } catch {
        let content: FolderIndex.Content = error.code == .notFound ? .incomplete : .unreadable(error)
        index.fail(file.name, content, now: environment.monotonicClock())
      }
    }
    return nil
  }

  /// Reads a part of this home's own that nobody has read since this process began: one that rots is written anew.
  func checkOwnPart() {
    let unread = index.checkpointParts.filter { $0.entry.name.isIn(home) && !$0.entry.isVerified }
    guard let next = unread.min(by: { $0.entry.name < $1.entry.name }) else { return }
    _ = open([CheckpointSet.File(name: next.entry.name, part: next.part)])
  }

  /// Once the tails are here: wants of what came without its bytes only what not every keeper says it has.
  func wantWhatKeepersMayLack() throws {
    var clocks: [KeeperClock] = []
    for peer in try keepersHomes() {
      let clock = wholeAcknowledgement(of: peer)?.clock ?? VectorClock([])
      clocks.append(KeeperClock(device: peer.deviceKey, home: peer.homeToken, clock: clock))
    }
    try database.want(beyond: database.reliable(clocks))
  }
}
