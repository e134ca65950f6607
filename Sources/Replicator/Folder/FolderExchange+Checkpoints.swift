internal import OfflineTree

/// Beginning with a checkpoint that stands in the folder.
extension FolderExchange {
  /// Sets that a newcomer tries: others are newer than what is right, or somebody floods the folder.
  private static let setsTried = 8

  /// In a home that has nothing of its space yet: takes the newest checkpoint of the folder that is whole and for which
  /// the founder's device vouches. What does not come of it is told, and the history is read instead.
  ///
  /// - Returns: Whether this home has begun with one.
  func beginWithCheckpoint(_ report: inout SyncReport) throws(TreeError) -> Bool {
    guard try database.clock().positions.isEmpty else { return false }
    let sets = CheckpointSet.all(in: index).filter { !uselessSets.contains($0.whole.id) }
    if sets.isEmpty { return false }
    for set in sets.prefix(Self.setsTried) {
      guard let parts = set.parts else { continue }
      do throws(TreeError) {
        let file = try gather(parts, of: set.whole)
        try database.begin(with: try CheckpointBundle(reading: file), floors: [])
        try FileSystem.remove(file.path)
        report.hasBegunWithCheckpoint = true
        return true
      } catch {
        uselessSets.insert(set.whole.id)
        report.notes.append("A checkpoint in the folder was not taken: \(error)")
      }
    }
    try FileSystem.remove(database.newCheckpointPath)
    let text = "No checkpoint in the folder is whole and can be taken: the history is read instead."
    // Keys that come meanwhile are a reason to look again.
    if report.notes.last != text { report.notes.append(text) }
    return false
  }

  /// Puts the parts together in the home, each held against its hash; no more than one of them is in memory.
  private func gather(
    _ parts: [[CheckpointSet.File]], of whole: CheckpointPart.Whole
  ) throws(TreeError) -> LocalFile {
    let file = try LocalFile(replacing: database.newCheckpointPath)
    for candidates in parts {
      guard let content = open(candidates) else {
        throw TreeError(.notFound, "a part of it is gone, or is not what its header says")
      }
      try file.append(content)
    }
    guard try CheckpointBundle.beginning(of: file).0.position == whole.vouched else {
      throw TreeError(.damaged, "it is not the one that the headers of its parts name")
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

  /// Keeps in the home the newest checkpoint that stands in the folder, where this device is a keeper: it hands it on to
  /// newcomers on TCP and in its other folders, and puts it back where it was lost.
  func relayCheckpoint() throws {
    let sets = CheckpointSet.all(in: index).filter { !uselessSets.contains($0.whole.id) }
    guard !sets.isEmpty, try database.relaysCheckpoints() else { return }
    let own = try ownCheckpointPosition().flatMap { try database.changesSeen(by: $0) } ?? 0
    for set in sets.prefix(Self.setsTried) {
      guard let seen = try database.changesSeen(by: set.whole.vouched), seen > own, let parts = set.parts else {
        continue
      }
      do throws(TreeError) {
        try database.keepCheckpoint(from: try gather(parts, of: set.whole))
        return
      } catch {
        uselessSets.insert(set.whole.id)
        // Nobody asked for it: a newcomer that does says what is wrong.
        if error.code == .full || error.code == .inputOutput { throw error }
      }
    }
  }
}
