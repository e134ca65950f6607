import OfflineTree
import Replicator

/// A simulated connection of two devices. What is sent arrives in order, as far as it arrives.
final class Link {
  let ends: [LinkEnd]

  /// - Throws: `.refused` if one of them does not let the other in.
  init(_ first: SimulatedDevice, _ second: SimulatedDevice, isOnce: Bool) throws {
    ends = [
      try LinkEnd(first, to: second, isOnce: isOnce), try LinkEnd(second, to: first, isOnce: isOnce),
    ]
    for end in ends { try end.start() }
  }

  func has(_ device: SimulatedDevice) -> Bool { ends.contains { $0.device === device } }

  func joins(_ first: SimulatedDevice, _ second: SimulatedDevice) -> Bool {
    first !== second && has(first) && has(second)
  }

  var isOver: Bool { ends.allSatisfy { $0.end != nil } }

  private func end(of device: SimulatedDevice) -> (own: LinkEnd, other: LinkEnd) {
    ends[0].device === device ? (ends[0], ends[1]) : (ends[1], ends[0])
  }

  /// So many frames arrive at the device.
  func bring(_ count: Int, to device: SimulatedDevice) throws {
    let (own, other) = end(of: device)
    let bytes = other.takeFrames(count)
    if own.end == nil, !bytes.isEmpty { try own.receive(bytes[...]) }
    if other.end != nil, other.outbox.isEmpty, own.end == nil { try own.disconnect() }
  }

  /// The connection breaks: of what is on its way, so many bytes arrive at the device, and at the other end.
  func lose(_ device: SimulatedDevice, after own: Int, _ other: Int) throws {
    let (near, far) = end(of: device)
    for (end, bytes) in [(near, far.takeBytes(own)), (far, near.takeBytes(other))] where end.end == nil {
      if !bytes.isEmpty { try end.receive(bytes[...]) }
      if end.end == nil { try end.disconnect() }
    }
  }

  func work(_ device: SimulatedDevice, _ count: Int) throws {
    let own = end(of: device).own
    for _ in 0..<count where own.hasJobs { try own.work() }
  }

  func stop(_ device: SimulatedDevice) throws { try end(of: device).own.stop() }

  /// Does everything that happens by itself.
  ///
  /// - Returns: False if it does not come to rest; exchanges that do take fewer than a hundred rounds.
  func settle() throws -> Bool {
    for _ in 0..<1_000 {
      if ends.allSatisfy({ $0.outbox.isEmpty && !$0.hasJobs }) || isOver { return true }
      for end in ends {
        try work(end.device, 1)
        try bring(4, to: end.device)
      }
    }
    return false
  }
}
