internal import OfflineTree

extension FolderExchange {
  /// Tells the whole of what keepers' homes have: of others' acknowledgements the index keeps only what is of our logs.
  func tellKeepers() throws {
    var told: [PeerIdentity: UInt64] = [:]
    for peer in try keepersHomes() {
      guard let counter = index.acknowledgements[peer]?.counter else { continue }
      told[peer] = counter
      if toldKeepers[peer] == counter { continue }
      guard let whole = wholeAcknowledgement(of: peer) else {
        told[peer] = nil
        continue
      }
      events(.holds(peer, whole.clock))
    }
    toldKeepers = told
  }

  /// Other homes that acknowledge here, of devices that keep all history.
  func keepersHomes() throws -> [PeerIdentity] {
    let keepers = Set(try database.keepers())
    return index.acknowledgements.keys.filter { keepers.contains($0.deviceKey) && $0 != database.identity }
  }

  /// All that a home said last. One that is gone since, or changes at this moment, is read another time.
  func wholeAcknowledgement(of peer: PeerIdentity) -> Acknowledgement? {
    guard let counter = index.acknowledgements[peer]?.counter,
      let name = index.entries.values.first(where: { $0.isAcknowledgement(of: peer) && $0.counter == counter })?.name,
      let whole = read(name), whole.peer == peer, whole.counter == counter
    else { return nil }
    return whole
  }

  private func read(_ name: FolderName) -> Acknowledgement? {
    let limit = SealedOuter.Kind.acknowledgement.maximumFileBytes
    guard let bytes = try? files.read(index.path(name), maximumBytes: limit) else { return nil }
    return try? Acknowledgement(opening: bytes, known: index.keys)
  }
}
