public import OfflineTree

extension Database {
  /// Undoes what this device has written and no other home is known to have, by a new change.
  ///
  /// What is known of others is what they acknowledged, by whatever remote, and what their own changes show that they
  /// have seen. A file in a shared folder that nobody has acknowledged counts as unknown: should somebody have it all the
  /// same, the change that undoes reaches them as well. Nothing is taken out of history, and nothing that is sent is called back.
  ///
  /// Where those changes wrote, the tree becomes what it would be without them:
  /// - values that they replaced or removed come back, and what they added goes, priorities included;
  /// - a counter loses exactly what they added, and keeps what everybody else did, also what is not known here yet;
  /// - a vote becomes the voter's choice before;
  /// - an element of an add-only set stays, as it can never be removed: its path is returned;
  /// - members, rules, accounts and files are left as they are.
  ///
  /// It costs as much as applying all history anew, and nobody writes meanwhile. What was asked for with `onDisconnect…`
  /// is left to `cancelDisconnectOperations`.
  /// - Returns: The elements of add-only sets that stay.
  /// - Throws: `unavailable` where history was dropped that is needed, `refused` where whoever is logged in may not write
  ///   what was there before; then nothing is undone.
  @discardableResult
  public func purgeOutstandingWrites() async throws -> [Path] {
    let held = try Replicator(database: self).heldCounts()
    return try await undo(beyond: held, as: try actingUser?()).kept
  }
}
