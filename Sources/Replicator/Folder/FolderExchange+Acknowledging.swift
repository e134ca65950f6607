internal import OfflineTree

extension FolderExchange {
  /// Says what this home has, if the folder does not say it already.
  ///
  /// - Returns: Whether something was written.
  func acknowledge() throws -> Bool {
    let clock = try database.clock()
    let latest = index.acknowledgements[database.homeToken]
    let mine = index.entries.values.filter { $0.isAcknowledgement(of: database.homeToken) && $0.name.isIn(home) }
    // In two steps: as one closure over the entries, the optimizer of Swift 6.3.1 stops with an ownership error.
    let counters = mine.map(\.counter)
    let isThere = counters.contains(latest?.counter)
    if clock.positions.isEmpty || isThere && latest?.clock == clock { return false }
    // The wall clock keeps a home's numbers rising even if the folder lost all of its acknowledgements.
    let counter = max((latest?.counter ?? 0) &+ 1, UInt64(clamping: environment.wallClock()))
    let acknowledgement = Acknowledgement(
      space: database.spaceID,
      peer: PeerIdentity(deviceKey: database.deviceKey, name: database.deviceName, homeToken: database.homeToken),
      counter: counter, wallTime: environment.wallClock(), clock: clock)
    let name = FolderName.acknowledgement(counter, in: home)
    try writeFile(name, acknowledgement.encoded)
    note(name, .acknowledgement(home: database.homeToken, counter: counter))
    index.acknowledgements[database.homeToken] = acknowledgement
    for entry in mine where entry.name != name { try removeFile(entry.name) }
    return true
  }
}

extension FolderIndex.Entry {
  var counter: UInt64? {
    if case .acknowledgement(_, let counter) = content { counter } else { nil }
  }

  func isAcknowledgement(of home: Bytes16) -> Bool {
    if case .acknowledgement(home, _) = content { true } else { false }
  }
}
