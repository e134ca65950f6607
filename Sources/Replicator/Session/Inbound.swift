import OfflineTree

/// Content that arrived and has not been handled, in its order, with what it holds in memory.
struct Inbound: Sendable {
  enum Content: Sendable {
    /// `isCounted` is false for a clock that was never sent because it equals this end's own.
    case clock(VectorClock, isCounted: Bool)
    case segment([UInt8])
    case samples(Samples)

    var heldBytes: Int {
      switch self {
      case .clock(let clock, _): 56 * clock.positions.count + ProtocolLimits.messageOverhead
      case .segment(let bytes): bytes.count + ProtocolLimits.messageOverhead
      case .samples(let samples): 56 * samples.positions.count + ProtocolLimits.messageOverhead
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

  /// The next content that is not a segment.
  mutating func next() -> Content? {
    guard taken < contents.count else { return nil }
    if case .segment = contents[taken] { return nil }
    return take()
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
