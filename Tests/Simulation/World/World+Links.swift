import OfflineTree
import Replicator

extension World {
  /// `ben meets anna [once]`, `ben hears anna N [lazily]`, `ben works anna N`, `ben loses anna BYTES BYTES`, `ben stops anna`, `ben talks anna`.
  func connect(_ device: SimulatedDevice, _ step: Step) throws {
    guard let other = self.device(step.word(0)), other !== device else { return }
    if step.verb == .talks { return try talk(device, other) }
    let link = links.first { $0.joins(device, other) }
    switch step.verb {
    case .meets:
      if link == nil { try open(device, other, isOnce: step.word(1) == "once") }
    case .hears:
      try link?.bring(max(1, step.number(1)), to: device)
      if step.word(2) != "lazily" { try link?.work(device, 8) }
    case .works: try link?.work(device, max(1, step.number(1)))
    case .loses: try link?.lose(device, after: step.number(1), step.number(2))
    default: try link?.stop(device)
    }
    if link != nil {
      try committed(device)
      try committed(other)
    }
  }

  /// A whole exchange.
  private func talk(_ device: SimulatedDevice, _ other: SimulatedDevice) throws {
    guard let link = try open(device, other, isOnce: true) else { return }
    if try !link.settle() {
      throw Violation(law: "an exchange ends", details: "\(device.name) and \(other.name)")
    }
    links.removeAll { $0 === link }
    try committed(device)
    try committed(other)
  }

  @discardableResult
  func open(_ device: SimulatedDevice, _ other: SimulatedDevice, isOnce: Bool) throws -> Link? {
    do {
      let link = try Link(device, other, isOnce: isOnce)
      links.append(link)
      return link
    } catch let error as TreeError where error.code == .refused {
      return nil
    }
  }

  /// A program that died takes its connections with it.
  func breakLinks(of device: SimulatedDevice) throws {
    for link in links where link.has(device) {
      for end in link.ends where end.device !== device && end.end == nil { try end.disconnect() }
    }
    links.removeAll { $0.has(device) }
  }
}
