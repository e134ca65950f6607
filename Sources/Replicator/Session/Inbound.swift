import OfflineTree

/// Content that arrived and has not been handled, in its order, with what it holds in memory.
struct Inbound: Sendable {
  enum Content: Sendable {
    /// `isCounted` is false for a clock that was never sent because it equals this end's own.
    case clock(VectorClock, isCounted: Bool)
    case segment([UInt8])
    case samples(Samples)
    case want([HistoryGap])
    case history(HistoryAnswer)
    case ask(Bool)
    case offer(CheckpointOffer)
    case piece([UInt8])
    case wish([Bytes32])
    case chunk(ChunkAnswer)
    case have([Bytes32])

    var heldBytes: Int {
      switch self {
      case .clock(let clock, _): 56 * clock.positions.count + ProtocolLimits.messageOverhead
      case .segment(let bytes), .piece(let bytes): bytes.count + ProtocolLimits.messageOverhead
      case .ask: ProtocolLimits.messageOverhead
      case .offer(let offer): 56 * offer.floors.count + ProtocolLimits.messageOverhead
      case .samples(let samples): 56 * samples.positions.count + ProtocolLimits.messageOverhead
      case .wish(let ids), .have(let ids): 32 * ids.count + ProtocolLimits.messageOverhead
      case .chunk(let answer): answer.weight + ProtocolLimits.messageOverhead
      case .want(let gaps): 96 * gaps.count + ProtocolLimits.messageOverhead
      // A change takes room of its own beside its bytes.
      case .history(let answer): answer.weight + 48 * (answer.bodies?.count ?? 0) + ProtocolLimits.messageOverhead
      }
    }
  }

  private var contents: [Content] = []
  private var taken = 0
  private(set) var heldBytes = 0

  var isEmpty: Bool { taken == contents.count }

  mutating func append(_ content: Content) {
    contents.append(content)
    heldBytes += content.heldBytes
  }

  /// The next content that is not a segment, history or a chunk.
  mutating func next() -> Content? {
    guard taken < contents.count else { return nil }
    switch contents[taken] {
    case .segment, .history, .chunk: return nil
    case .clock, .samples, .want, .ask, .offer, .piece, .wish, .have: return take()
    }
  }

  /// The history at the front, not more than a window's bytes but for the first.
  mutating func answers() -> [HistoryAnswer] {
    var (result, size): ([HistoryAnswer], Int) = ([], 0)
    while taken < contents.count, case .history(let answer) = contents[taken] {
      size += answer.weight
      if !result.isEmpty, size > ProtocolLimits.windowBytes { break }
      result.append(answer)
      _ = take()
    }
    return result
  }

  /// The chunks at the front, a few MB of them.
  mutating func chunks() -> [ChunkAnswer] {
    var (result, size): ([ChunkAnswer], Int) = ([], 0)
    while taken < contents.count, case .chunk(let answer) = contents[taken] {
      size += answer.weight
      if !result.isEmpty, size > 4 << 20 { break }
      result.append(answer)
      _ = take()
    }
    return result
  }

  /// The segments at the front: at least one if there is one, and not more than a window's bytes.
  mutating func segments() -> [[UInt8]] {
    var (result, size): ([[UInt8]], Int) = ([], 0)
    while taken < contents.count, case .segment(let bytes) = contents[taken] {
      size += bytes.count
      if !result.isEmpty, size > ProtocolLimits.windowBytes { break }
      result.append(bytes)
      _ = take()
    }
    return result
  }

  private mutating func take() -> Content {
    let content = contents[taken]
    contents[taken] = .segment([])
    taken += 1
    heldBytes -= content.heldBytes
    if taken == contents.count || taken > 1_024 {
      contents.removeFirst(taken)
      taken = 0
    }
    return content
  }
}
