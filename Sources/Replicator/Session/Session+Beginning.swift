import OfflineTree

/// How a session goes with which one end, that has nothing of the space, begins.
struct Beginning: Sendable {
  // Of a newcomer.

  /// It asked for a checkpoint, and does not know yet whether there is one.
  var awaitsOffer = false
  /// It has tried once in this session.
  var hasTried = false
  /// What it is offered, and what of it has come.
  var offer: CheckpointOffer?
  var gathered: [UInt8] = []
  var isTaking = false

  // Of the other end.

  /// The peer has nothing, and has not said how it would like to begin.
  var awaitsAsk = false
  var isReading = false
  /// What is left to be sent of the checkpoint; nil if none is being sent.
  var served: ArraySlice<UInt8>?

  /// Is nothing to be sent to the peer yet?
  var holdsPull: Bool { awaitsAsk || isReading || served != nil }

  /// With a checkpoint on its way there is something to wait for.
  var isQuiet: Bool { !awaitsOffer && offer == nil && !isTaking && !holdsPull }
}

extension Session {
  // MARK: The end that has the space

  /// The peer told its clock: the beginning is over, or comes.
  mutating func noteBeginning(of clock: VectorClock) {
    guard beginning.served?.isEmpty ?? true, !beginning.isReading else {
      return failOutOfPlace("its clock before it had the checkpoint that it asked for")
    }
    beginning.served = nil
    beginning.awaitsAsk = clock.positions.isEmpty && told?.positions.isEmpty == false
    if !beginning.awaitsAsk { hasMore = true }
  }

  mutating func handle(ask wants: Bool) {
    handled += 1
    guard beginning.awaitsAsk || told?.positions.isEmpty != false else {
      return failOutOfPlace("a wish for a checkpoint though it has begun")
    }
    let isServed = wants && beginning.awaitsAsk
    beginning.awaitsAsk = false
    hasMore = true
    if isServed {
      beginning.isReading = true
      actions.append(.work(.readCheckpoint))
    } else if wants {
      send(.offer(.none))
    }
  }

  mutating func wasRead(checkpoint bytes: [UInt8]?, _ floors: [LogPosition]) {
    beginning.isReading = false
    guard let bytes, !bytes.isEmpty else { return send(.offer(.none)) }
    send(.offer(CheckpointOffer(byteCount: bytes.count, floors: floors)))
    beginning.served = bytes[...]
  }

  /// Sends the next pieces, while there is room.
  mutating func serve() {
    while let rest = beginning.served, !rest.isEmpty, isWindowOpen {
      let piece = rest.prefix(ProtocolLimits.pieceBytes)
      beginning.served = rest.dropFirst(piece.count)
      sentBytes += UInt64(piece.count)
      send(.piece(Array(piece)))
    }
  }

  // MARK: The newcomer

  mutating func handle(_ offer: CheckpointOffer) {
    handled += 1
    guard beginning.awaitsOffer else { return failOutOfPlace("a checkpoint that it was not asked for") }
    beginning.awaitsOffer = false
    beginning.hasTried = true
    if offer.byteCount > 0 { beginning.offer = offer }
  }

  mutating func handle(piece: [UInt8]) {
    handled += 1
    handledBytes += UInt64(piece.count)
    guard let offer = beginning.offer, !beginning.isTaking, !piece.isEmpty,
      beginning.gathered.count + piece.count <= offer.byteCount
    else { return failOutOfPlace("a piece of no checkpoint") }
    beginning.gathered += piece
    guard beginning.gathered.count == offer.byteCount else { return }
    beginning.isTaking = true
    actions.append(.work(.begin(with: beginning.gathered, floors: offer.floors)))
    beginning.gathered = []
  }

  mutating func hasBegun(_ clock: VectorClock, _ problem: TreeError?) {
    chunks.mustLook = true
    beginning.isTaking = false
    beginning.offer = nil
    told = clock
    toldDigest = clock.digest
    if let problem { note("The checkpoint was not taken, and the history is read instead: \(problem)") }
    report.hasBegunWithCheckpoint = problem == nil
    tell(clock)
    hasMore = true
    fetching.mustLook = true
  }
}
