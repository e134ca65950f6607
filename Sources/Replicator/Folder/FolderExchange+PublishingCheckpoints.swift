internal import OfflineTree

/// Putting the home's checkpoint into the folder, for newcomers.
extension FolderExchange {
  /// What keeps the checkpoint from the folder keeps nothing else from it.
  ///
  /// - Returns: Whether anything was written or removed.
  func publishCheckpoint(_ report: inout SyncReport) -> Bool {
    do {
      checkOwnPart()
      try relayCheckpoint()
      return try publishOwnCheckpoint()
    } catch {
      let error = TreeError(anyError: error)
      report.notes.append("The checkpoint for newcomers could not be put into the folder: \(error)")
      return false
    }
  }

  private func publishOwnCheckpoint() throws -> Bool {
    guard let position = try ownCheckpointPosition() else { return false }
    let own = CheckpointSet.all(in: index, of: home).filter { $0.parts != nil }
    if let current = own.first(where: { $0.whole.vouched == position }) {
      return try removeParts(except: current.whole)
    }
    // Under an older key than that of now, a device that was removed could read it.
    guard try database.ownStanding().hasCurrentKey, try isDue(position, own),
      let kept = try database.keptCheckpointFile(), kept.position == position
    else { return false }
    try removeParts(except: try write(kept))
    return true
  }

  /// The last change of the proof of the home's checkpoint, if it has one for which it can answer.
  func ownCheckpointPosition() throws(TreeError) -> LogPosition? {
    guard let stamp = FileSystem.look(at: "\(database.home)/checkpoint")?.stamp else { return nil }
    if let known = ownCheckpoint, known.stamp == stamp { return known.position }
    guard let kept = try database.keptCheckpointFile() else { return nil }
    ownCheckpoint = (stamp, kept.position)
    return kept.position
  }

  /// Does it save newcomers enough: has at least half as much been written since the one that is there?
  private func isDue(_ position: LogPosition, _ own: [CheckpointSet]) throws -> Bool {
    guard let seen = try database.changesSeen(by: position) else { return false }
    var there = own.map(\.whole.vouched)
    if try database.relaysCheckpoints() {
      there += CheckpointSet.all(in: index).filter { $0.parts != nil }.map(\.whole.vouched)
    } else if try database.read({ try $0.genesis()?.founder }) != database.deviceKey {
      return false
    }
    let applied = try database.changesApplied()
    for other in there {
      guard let before = try database.changesSeen(by: other) else { continue }
      if seen <= before || applied - before < before / 2 { return false }
    }
    return true
  }

  private func write(_ kept: Database.KeptCheckpoint) throws(TreeError) -> CheckpointPart.Whole {
    let byteCount = try kept.file.byteCount()
    let offsets = Array(stride(from: 0, to: byteCount, by: CheckpointPart.byteLimit))
    var hashes: [Bytes32] = []
    for offset in offsets { hashes.append(Sodium.hash32(try kept.file.read(CheckpointPart.byteLimit, at: offset))) }
    let whole = CheckpointPart.Whole(vouched: kept.position, byteCount: byteCount, hashes: hashes)
    let there = Set(index.checkpointParts.filter { $0.entry.name.isIn(home) }.map(\.part))
    let keys = try database.epochs().current
    for (number, hash) in hashes.enumerated() {
      let part = CheckpointPart(whole, number: number, hash: hash)
      if there.contains(part) { continue }
      let content = try kept.file.read(CheckpointPart.byteLimit, at: offsets[number])
      guard Sodium.hash32(content) == hash else {
        throw TreeError(.unavailable, "the checkpoint was replaced while it was read", advice: "It is tried again")
      }
      let name = FolderName.checkpoint(part, of: database.homeToken, keys)
      try writeFile(name, part.sealed(content, keys, random: environment.randomBytes(32)))
      note(name, .checkpoint(part))
    }
    return whole
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
