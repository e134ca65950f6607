/// Who keeps all history, and whose word on it can be relied upon.
extension Database {
  /// The devices that keep all history, sorted.
  package func keepers() throws(TreeError) -> [Bytes32] { try view { _, replica in replica.authority.keepers } }

  /// What homes of keepers are known to hold: of those on whose word nothing can rest yet, nothing.
  ///
  /// A keeper's word counts once it holds its own promise to keep; if this device said that it keeps no longer, once it
  /// has heard that, too; and only if nothing of the keeper's own is unknown here, in which it may say otherwise. So two
  /// keepers that stop, not knowing of each other, do not rely on each other.
  package func reliable(_ said: [KeeperClock]) throws(TreeError) -> [KeeperClock] {
    try view { rows, replica in
      try said.filter { replica.authority.keeps(history: $0.device) }.map { keeper in
        try replica.canRely(on: keeper, rows)
          ? keeper : KeeperClock(device: keeper.device, home: keeper.home, clock: VectorClock([]))
      }
    }
  }
}

extension Replica {
  /// What this device has to say on whether it keeps all history, or nil: that it does once it has all, that it does no
  /// longer before it drops any.
  ///
  /// Of two homes of one device, one of which keeps and the other does not, the device does not: a home takes back only
  /// what it said itself. So they come to an end, with the word on which nobody relies.
  func dueWordOnKeeping(_ rows: borrowing StoreTransaction) throws(TreeError) -> ControlOperation? {
    guard currentLog != nil, !mustLeave, !authority.isEnded(device), !isSilenced else { return nil }
    let keeps = authority.keeps(history: device)
    // Also a home that was made anew, with the device's keys and not with all that the device had.
    let hasAll = try retention(rows) == .all && logs.allSatisfy(\.dropped.isEmpty)
    guard keeps != hasAll else { return nil }
    guard hasAll, let last = authority.lastWord(of: device) else { return .keep(hasAll) }
    return try rows.get(.meta, MetaKey.word) == last.stamp.bytes ? .keep(true) : nil
  }

  /// The device's last word on keeping is now one that this home may take back.
  func adoptLastWord(_ rows: borrowing StoreTransaction) throws(TreeError) {
    guard let last = authority.lastWord(of: device) else { return }
    try rows.put(.meta, MetaKey.word, last.stamp.bytes)
  }

  fileprivate func canRely(on keeper: KeeperClock, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bool {
    var held = Context()
    for position in keeper.clock.positions {
      guard let dot = try find(position, rows) else {
        let device = indices[position.log]?.first.map { logs[$0].device }
        // Of a log that is not known nobody knows whose it is.
        if device == nil || device == keeper.device { return false }
        continue
      }
      var (log, count) = (dot.log, dot.seq + 1)
      held.raise(log, to: count)
      while let parent = logs[log].parent {
        (log, count) = (parent, logs[log].first)
        held.raise(log, to: count)
      }
    }
    let promise = authority.lastWord(of: keeper.device)?.dot
    let own = authority.lastWord(of: device).flatMap { $0.keeps ? nil : $0.dot }
    return [promise, own].compactMap { $0 }.allSatisfy { held.covers($0.log, $0.seq) }
  }
}

extension Stamp {
  fileprivate var bytes: [UInt8] {
    var writer = ByteWriter()
    encode(to: &writer)
    return writer.bytes
  }
}
