import OfflineTree
import Replicator

extension World {
  /// What happens to the shared folder: `ben exchanges [FAULT CALLS]` with his copy; `ben gets anna [FILES [BYTES]]` by the
  /// carrier; and what carriers do to files: the numbers choose among those that are there.
  func share(_ device: SimulatedDevice, _ step: Step) throws {
    switch step.verb {
    case .exchanges: try exchange(device, SimulatedFiles.Fault(rawValue: step.word(0)), step.number(1))
    case .gets:
      if let other = self.device(step.word(0)), other !== device {
        carry(
          from: other, to: device, step.words.count > 1 ? step.number(1) : .max,
          step.words.count > 2 ? step.number(2) : nil)
      }
    case .litters:
      // One name in two forms, and one that no program made.
      device.files.put("e\u{301}.txt", [1, 2, 3])
      device.files.put("\u{E9}.txt", [4, 5, 6])
      device.files.put("notes/\(step.number(0)).seg", Array("OTSG".utf8))
    default: damage(device, step)
    }
  }

  func exchange(_ device: SimulatedDevice, _ fault: SimulatedFiles.Fault?, _ calls: Int) throws {
    if let fault { device.files.arm(fault, after: calls) }
    let result = device.exchange.exchange()
    let isDead = device.files.disarm()
    try checkRemoved(device)
    if !isDead { try device.noteHoldings() }
    if isDead {
      try fault == .faints ? faint(device, 0) : die(device)
    } else if let error = result.error, fault == nil {
      throw error
    }
    try committed(device)
  }

  /// Brings files to another copy, where they are newer than what is there; of the last of so many only a part, if that is
  /// said: it is brought whole the next time. What its writer has removed goes there as well.
  func carry(from: SimulatedDevice, to: SimulatedDevice, _ count: Int, _ bytes: Int?) {
    let source = from.files.change { $0.files }
    let there = to.files.change { $0.files }
    var left = count
    for path in source.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) where left > 0 {
      guard let file = source[path], file.version > there[path]?.version ?? 0, !path.hasSuffix(".tmp") else { continue }
      left -= 1
      if left == 0, let bytes {
        to.files.put(path, Array(file.bytes.prefix(bytes)), version: 0)
      } else {
        to.files.put(path, file.bytes, version: file.version)
      }
    }
    guard bytes == nil, left > 0 else { return }
    for path in there.keys where path.hasPrefix(from.exchange.home + "/") && source[path] == nil { to.files.take(path) }
  }

  private func damage(_ device: SimulatedDevice, _ step: Step) {
    let paths = device.files.paths
    guard !paths.isEmpty else { return }
    let path = paths[step.number(0) % paths.count]
    guard let file = device.files.change({ $0.files[path] }) else { return }
    let bytes = file.bytes
    // Of what is not wholly there yet the carrier still brings the rest, whatever becomes of the part.
    let version = file.version == 0 ? 0 : nil
    switch step.verb {
    case .misses: _ = device.files.change { $0.hidden.insert(path) }
    case .drops: device.files.take(path)
    case .tears: device.files.put(path, Array(bytes.prefix(step.number(1) % (bytes.count + 1))), version: version)
    case .zeroes:
      let kept = step.number(1) % (bytes.count + 1)
      device.files.put(
        path, bytes.prefix(kept) + [UInt8](repeating: 0, count: bytes.count - kept), version: version)
    case .forks:
      device.files.put("\(path).sync-conflict-20261130-120000-ABCDEFG", bytes)
      device.files.put(path, Array(bytes.prefix(step.number(1) % (bytes.count + 1))), version: version)
    default:
      device.files.put(path.uppercased(), bytes)
      device.files.take(path)
    }
  }
}
