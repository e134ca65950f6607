internal import OfflineTree

extension FolderExchange {
  /// Says what this home has, if the folder does not say it already.
  ///
  /// - Returns: Whether something was written.
  func acknowledge() throws -> Bool {
    let own = try statement()
    let identity = database.identity
    let latest = index.acknowledgements[identity]
    let mine = index.entries.values.filter { entry in
      entry.name.isIn(home) && entry.isAcknowledgement(of: identity)
    }
    // In two steps: as one closure over the entries, the optimizer of Swift 6.3.1 stops with an ownership error.
    let counters = mine.map(\.counter)
    let isThere = counters.contains(latest?.counter)
    let isSaid = isThere && latest?.clock == own.clock && latest?.state == own.state
    if own.clock.positions.isEmpty || isSaid { return false }
    // The wall clock keeps a home's numbers rising even if the folder lost all of its acknowledgements.
    let counter = max((latest?.counter ?? 0) &+ 1, UInt64(clamping: environment.wallClock()))
    let acknowledgement = Acknowledgement(
      peer: identity, counter: counter, wallTime: environment.wallClock(), clock: own.clock, state: own.state)
    let keys = try database.epochs().current
    let name = FolderName.acknowledgement(counter, of: database.homeToken, keys)
    let file = acknowledgement.sealed(keys, random: environment.randomBytes(32)) {
      database.sign(.acknowledge, $0)
    }
    try writeFile(name, file)
    note(name, .acknowledgement(identity, counter: counter))
    index.hear(acknowledgement, in: name)
    for entry in mine where entry.name != name { try removeFile(entry.name) }
    try removeDamagedAcknowledgements()
    return true
  }

  /// What this home has, and what it comes to: summed up once for a clock.
  func statement() throws(TreeError) -> Statement {
    let clock = try database.clock()
    if let stated, stated.clock == clock { return stated }
    let now = try database.clockAndState()
    let statement = Statement(clock: now.clock, digest: now.clock.digest, state: now.state)
    stated = statement
    return statement
  }

  /// Who has the same changes must hold the same: an alarm that names who does not. Where they differ is not asked here.
  ///
  /// What a home of before a repair said stays in the folder, and is not what its device holds now; nor is that of this one.
  func compareStates(_ report: inout SyncReport) throws(TreeError) {
    let own = try statement()
    for (peer, word) in index.newestAcknowledgements where peer.deviceKey != database.deviceKey {
      guard word.clockDigest == own.digest, let state = word.state, state != own.state,
        try database.standing(of: peer.deviceKey) == .member
      else { continue }
      report.notes.append(
        "This device and \(printable(peer.name)) (\(peer.deviceKey.description.prefix(8))) have the same changes and do "
          + "not hold the same: one of the two databases, or programs, is at fault. Run verify on both devices, and repair on "
          + "the one that is damaged. The place is found when the two meet over TCP, or by verify --against HOME.")
    }
  }

  /// Our own files that are no acknowledgements any more: a newer one stands.
  private func removeDamagedAcknowledgements() throws(TreeError) {
    for entry in index.entries.values where entry.name.isIn(home) && entry.isDamaged {
      if entry.name.ends(with: FolderName.acknowledgementSuffix) { try removeFile(entry.name) }
    }
  }
}

extension FolderExchange {
  struct Statement {
    let clock: VectorClock
    let digest: Bytes32
    let state: Bytes16
  }
}

extension FolderIndex.Entry {
  var counter: UInt64? {
    if case .acknowledgement(_, let counter) = content { counter } else { nil }
  }

  func isAcknowledgement(of home: PeerIdentity) -> Bool {
    if case .acknowledgement(home, _) = content { true } else { false }
  }
}
