internal import OfflineTree

/// Putting the home's checkpoint into the folder, for newcomers.
extension FolderExchange {
  /// The checkpoint that the home keeps, as it is cut for folders.
  struct OwnCheckpoint {
    let stamp: FileStamp
    let whole: CheckpointPart.Whole
    /// Of each part.
    let hashes: [Bytes32]
  }

  /// What keeps the checkpoint from the folder keeps nothing else from it.
  ///
  /// - Returns: Whether anything was written or removed.
  func publishCheckpoint(_ report: inout SyncReport) -> Bool {
    checkOwnPart()
    do {
      try relayCheckpoint()
    } catch {
      let error = TreeError(anyError: error)
      report.notes.append("A checkpoint in the folder could not be kept for newcomers: \(error)")
    }
    do {
      return try publishOwnCheckpoint()
    } catch {
      let error = TreeError(anyError: error)
      report.notes.append("The checkpoint for newcomers could not be put into the folder: \(error)")
      return false
    }
  }

  private func publishOwnCheckpoint() throws -> Bool {
    guard let own = try ownCheckpoint() else { return false }
    let there = CheckpointSet.all(in: index, of: home)
    if there.contains(where: { $0.whole == own.whole && $0.parts != nil }) { return try removeParts(except: own.whole) }
    let isKeeper = try database.relaysCheckpoints()
    guard try isKeeper || database.read({ try $0.genesis()?.founder }) == database.deviceKey,
      let seen = try database.changesSeen(by: own.whole.vouched)
    else { return false }
    if let other = try set(thatWillDoFor: own, seen, among: isKeeper ? candidates() : there) {
      return try removeParts(except: other)
    }
    // Under an older key than that of now, a device that was removed could read it.
    guard try database.ownStanding().hasCurrentKey else { return false }
    try write(own)
    try removeParts(except: own.whole)
    return true
  }

  /// The home's checkpoint, if it has one for which it can answer.
  ///
  /// - Complexity: O(bytes) when its file is another than the last time, else a look at it.
  func ownCheckpoint() throws(TreeError) -> OwnCheckpoint? {
    guard let stamp = FileSystem.look(at: "\(database.home)/checkpoint")?.stamp else { return nil }
    if let knownCheckpoint, knownCheckpoint.stamp == stamp { return knownCheckpoint }
    guard let kept = try database.keptCheckpointFile() else { return nil }
    let byteCount = try kept.file.byteCount()
    var hashes: [Bytes32] = []
    for offset in stride(from: 0, to: byteCount, by: CheckpointPart.byteLimit) {
      hashes.append(Sodium.hash32(try kept.file.read(CheckpointPart.byteLimit, at: offset)))
    }
    let whole = CheckpointPart.Whole(vouched: kept.position, byteCount: byteCount, hashes: hashes)
    knownCheckpoint = OwnCheckpoint(stamp: stamp, whole: whole, hashes: hashes)
    return knownCheckpoint
  }

  /// A set that newcomers take and that saves them so much that the home's own is not needed: less than half as much has been
  /// written since as it had seen. What only says so of itself keeps nothing from the folder.
  private func set(
    thatWillDoFor own: OwnCheckpoint, _ seen: UInt64, among sets: [CheckpointSet]
  ) throws -> CheckpointPart.Whole? {
    let applied = try database.changesApplied()
    var tried = 0
    for set in sets where tried < Self.setsTried {
      guard let before = try database.changesSeen(by: set.whole.vouched),
        seen <= before || applied - before < before / 2, set.parts != nil
      else { continue }
      if set.whole == own.whole { return set.whole }
      tried += 1
      if try isTakable(set) { return set.whole }
    }
    return nil
  }

  private func write(_ own: OwnCheckpoint) throws(TreeError) {
    let there = Set(index.checkpointParts.filter { $0.entry.name.isIn(home) }.map(\.part))
    let keys = try database.epochs().current
    guard let kept = try database.keptCheckpointFile() else { return }
    for (number, hash) in own.hashes.enumerated() {
      let part = CheckpointPart(own.whole, number: number, hash: hash)
      if there.contains(part) { continue }
      let content = try kept.file.read(CheckpointPart.byteLimit, at: number * CheckpointPart.byteLimit)
      guard Sodium.hash32(content) == hash else {
        throw TreeError(.unavailable, "the checkpoint was replaced while it was read", advice: "It is tried again")
      }
      let name = FolderName.checkpoint(part, of: database.homeToken, keys)
      try writeFile(name, part.sealed(content, keys, random: environment.randomBytes(32)))
      note(name, .checkpoint(part))
    }
  }

  /// Removes this home's parts of other sets, and damaged ones: a whole one is in place.
  @discardableResult
  private func removeParts(except whole: CheckpointPart.Whole) throws(TreeError) -> Bool {
    var isAny = false
    for entry in index.entries.values where entry.name.isIn(home) {
      if case .checkpoint(let part) = entry.content, part.whole != whole {
        try removeFile(entry.name)
      } else if entry.isDamaged, entry.name.ends(with: FolderName.checkpointSuffix) {
        try removeFile(entry.name)
      } else {
        continue
      }
      isAny = true
    }
    return isAny
  }
}
