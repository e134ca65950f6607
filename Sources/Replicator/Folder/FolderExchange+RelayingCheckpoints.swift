internal import OfflineTree

/// What a keeper does with checkpoints of others.
extension FolderExchange {
  /// Keeps in the home the newest checkpoint that stands in the folder, where this device is a keeper: it hands it on to
  /// newcomers on TCP and in its other folders, and puts it back where it was lost.
  func relayCheckpoint() throws {
    let sets = candidates()
    guard !sets.isEmpty, try database.relaysCheckpoints() else { return }
    let own = try ownCheckpoint().flatMap { try database.changesSeen(by: $0.whole.vouched) } ?? 0
    var tried = 0
    for set in sets where tried < Self.setsTried {
      guard let seen = try database.changesSeen(by: set.whole.vouched), seen > own else { continue }
      let isKept = try attempt(set) { file throws(TreeError) in
        tried += 1
        try self.database.keepCheckpoint(from: file)
      }
      if isKept { return }
    }
  }

  /// Would a newcomer take it? Found out once, as long as this process lives.
  ///
  /// - Complexity: O(bytes) for the first time.
  func isTakable(_ set: CheckpointSet) throws -> Bool {
    if takableSets.contains(set.whole) { return set.parts != nil }
    if uselessSets.contains(set.whole) { return false }
    return try attempt(set) { file throws(TreeError) in
      try self.database.requireTakable(file)
      try FileSystem.remove(file.path)
    }
  }

  /// Puts a set together for `body`, which throws if newcomers do not take it.
  ///
  /// - Returns: Whether it is whole and newcomers do.
  /// - Throws: What says nothing of the set, such as that the disk is full.
  private func attempt(
    _ set: CheckpointSet, _ body: (LocalFile) throws(TreeError) -> Void
  ) throws(TreeError) -> Bool {
    do throws(TreeError) {
      guard let parts = try vouchedParts(of: set) else { return false }
      let file = try gather(parts, of: set.whole)
      do throws(TreeError) {
        try body(file)
      } catch {
        try FileSystem.remove(file.path)
        throw error
      }
      takableSets.insert(set.whole)
      return true
    } catch {
      judge(set, error)
      // Nobody asked for it: a newcomer that does says what is wrong.
      if uselessSets.contains(set.whole) || error.code == .notFound { return false }
      throw error
    }
  }
}
