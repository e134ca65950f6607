internal import OfflineTree

extension FolderExchange {
  /// Tells the whole of what keepers' homes have: of others' acknowledgements the index keeps only what is of our logs.
  func tellKeepers() throws {
    let keepers = Set(try database.keepers())
    var told: [PeerIdentity: UInt64] = [:]
    for (peer, latest) in index.acknowledgements where keepers.contains(peer.deviceKey) && peer != database.identity {
      told[peer] = latest.counter
      if toldKeepers[peer] == latest.counter { continue }
      let name = index.entries.values.first { $0.isAcknowledgement(of: peer) && $0.counter == latest.counter }?.name
      // One that is gone since, or changes at this moment, is told of another time.
      guard let name, let whole = read(name), whole.peer == peer, whole.counter == latest.counter else {
        told[peer] = nil
        continue
      }
      events(.holds(peer, whole.clock))
    }
    toldKeepers = told
  }

  private func read(_ name: FolderName) -> Acknowledgement? {
    let limit = SealedOuter.Kind.acknowledgement.maximumFileBytes
    guard let bytes = try? files.read(index.path(name), maximumBytes: limit) else { return nil }
    return try? Acknowledgement(opening: bytes, known: index.keys)
  }
}
