import OfflineTree
import Replicator
import TestSupport

/// A law that a simulated history broke.
package struct Violation: Error, CustomStringConvertible, Sendable {
  /// Which one, in a few words that stay the same while the history is minimised.
  package let law: String
  package let details: String

  package var description: String { "\(law): \(details)" }
}

/// Runs a history: whole devices, the links between them, and what was answered to whom.
package final class World {
  let homes: Homes
  let story: Story
  var devices: [SimulatedDevice] = []
  var liars: [Liar] = []
  var links: [Link] = []
  var ledger = Ledger()
  var number = 0

  package init(_ story: Story, in stable: Stable) throws {
    self.story = story
    homes = stable.homes(for: story)
    for (index, name) in story.devices.prefix(homes.count).enumerated() {
      let home = try homes.reset(index)
      devices.append(
        try SimulatedDevice(
          name, person: name, home: home, clock: SimulatedClock(wall: Homes.start, seed: UInt64(100 + index)),
          files: SimulatedFiles(), isRelaxed: story.relaxed.contains(name), isWatched: story.watched.contains(name)
        ) { environment, options in try Database.open(at: home, environment: environment, options: options) })
    }
    for name in story.liars { liars.append(try Liar(name, in: self)) }
    for device in devices { try device.noteSnapshot() }
  }

  deinit {
    links = []
    for device in devices { device.close() }
  }

  /// Takes every step, lets all meet, and checks the laws on the way and at the end.
  ///
  /// - Throws: `Violation`.
  package func run() throws {
    for step in story.steps { try guarded(step) { try take(step) } }
    try guarded(nil) {
      try heal()
      try checkAtRest()
    }
  }

  /// What a step throws that no law expects is a violation too.
  private func guarded(_ step: Step?, _ body: () throws -> Void) throws {
    number += 1
    do {
      try body()
    } catch let violation as Violation {
      throw violation
    } catch {
      let place = step.map { "step \(number), \($0)" } ?? "the end"
      throw Violation(law: "no call fails unless something was broken", details: "\(place): \(error)")
    }
  }

  func device(_ name: String) -> SimulatedDevice? { devices.first { $0.name == name } }

  private func take(_ step: Step) throws {
    if let liar = liars.first(where: { $0.name == step.actor }) { return try liar.take(step, in: self) }
    guard let device = device(step.actor) else { return }
    for other in devices { other.clock.pass(milliseconds: 1) }
    switch step.verb {
    case .increments, .sets, .removes, .votes, .pushes, .ranks, .adds: try write(device, step)
    case .expels, .voids, .rotates, .joins: try govern(device, step)
    case .jumps: device.clock.jump(by: Int64(step.number(0)))
    case .waits: try wait(Int64(step.number(0)))
    case .meets, .hears, .works, .loses, .stops, .talks: try connect(device, step)
    case .exchanges, .gets, .misses, .drops, .tears, .zeroes, .forks, .shouts, .litters: try share(device, step)
    case .dies, .faints, .saves, .restores, .clones: try disturb(device, step)
    case .keeps, .compacts: try reduce(device, step)
    case .vouches: try vouch(device)
    case .lies, .tells, .plants: break
    case .checks: try checkMidway(device)
    }
    for other in devices { try other.noteSnapshot() }
    try checkBounds()
  }

  /// Time passes for everybody, and deadlines with it.
  private func wait(_ milliseconds: Int64) throws {
    for device in devices { device.clock.pass(milliseconds: max(0, milliseconds)) }
    for link in links {
      for end in link.ends { try end.tick() }
    }
  }

  /// A device has a new commit, perhaps: its connections hear of it.
  func committed(_ device: SimulatedDevice) throws {
    for link in links where link.has(device) {
      for end in link.ends where end.device === device { try end.committed() }
    }
    links.removeAll { $0.isOver }
  }
}
