extension Authority {
  /// The devices that keep all history from its beginning, sorted: as each said last, the founder's from the genesis on.
  ///
  /// What is void was not said, and devices that were ended keep nothing for anybody. O(keepers × ends).
  package var keepers: [Bytes32] {
    var devices = Set(keeps.keys)
    if let founder = genesis?.founder { devices.insert(founder) }
    return devices.filter { keeps(history: $0) }.sorted()
  }

  /// Does the device keep all history, by its own word?
  package func keeps(history device: Bytes32) -> Bool {
    (lastWord(of: device)?.keeps ?? (device == genesis?.founder)) && !isEnded(device)
  }

  /// The newest of a device's own words on whether it keeps all history; nil if it said nothing that counts.
  ///
  /// A stamp is above all that its change had seen, so the highest one is of the word that no other of them followed. Of
  /// copies of a device that spoke apart, stamp and branch decide.
  package func lastWord(of device: Bytes32) -> (keeps: Bool, dot: Dot, stamp: Stamp)? {
    let standing = (keeps[device] ?? []).filter { verdicts[$0] == nil }
    let last = standing.max { left, right in
      (records[left].stamp, records[left].branch) < (records[right].stamp, records[right].branch)
    }
    guard let last else { return nil }
    for case .keep(let keeps) in records[last].controls { return (keeps, records[last].dot, records[last].stamp) }
    return nil
  }
}
