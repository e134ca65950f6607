internal import OfflineTree

extension FolderExchange {
  /// Says what this home has, if the folder does not say it already.
  ///
  /// - Returns: Whether something was written.
  func acknowledge() throws -> Bool {
    let clock = try database.clock()
    let identity = database.identity
    let latest = index.acknowledgements[identity]
    let mine = index.entries.values.filter { entry in
      entry.name.isIn(home) && entry.isAcknowledgement(of: identity)
    }
    // In two steps: as one closure over the entries, the optimizer of Swift 6.3.1 stops with an ownership error.
    let counters = mine.map(\.counter)
    let isThere = counters.contains(latest?.counter)
    if clock.positions.isEmpty || isThere && latest?.clock == clock { return false }
    // The wall clock keeps a home's numbers rising even if the folder lost all of its acknowledgements.
    let counter = max((latest?.counter ?? 0) &+ 1, UInt64(clamping: environment.wallClock()))
    let acknowledgement = Acknowledgement(
      peer: identity, counter: counter, wallTime: environment.wallClock(), clock: clock)
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

  /// Our own files that are no acknowledgements any more: a newer one stands.
  private func removeDamagedAcknowledgements() throws(TreeError) {
    for entry in index.entries.values where entry.name.isIn(home) && entry.isDamaged {
      if entry.name.ends(with: FolderName.acknowledgementSuffix) { try removeFile(entry.name) }
    }
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
