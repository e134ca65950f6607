import OfflineTree
import Replicator
import TestSupport

extension World {
  /// `ben dies`, `ben faints N`, `ben saves NAME`, `ben restores NAME [inplace|whole]`, `ben clones NAME`.
  func disturb(_ device: SimulatedDevice, _ step: Step) throws {
    switch step.verb {
    case .dies: try die(device)
    case .faints: try faint(device, step.number(0))
    case .saves:
      try breakLinks(of: device)
      device.close()
      device.saved[step.word(0)] = try HomeFiles.read(device.home)
      try device.open()
    case .restores: try restore(device, step)
    default: try clone(device, as: step.word(0))
    }
  }

  /// The program dies and is started again; the system goes on.
  func die(_ device: SimulatedDevice) throws {
    try breakLinks(of: device)
    device.close()
    try device.open()
  }

  /// The power fails: of commits that did not wait for the disk some may be gone, none that others have heard of.
  func faint(_ device: SimulatedDevice, _ choice: Int) throws {
    let others = try heldByOthers(device) + promised(by: device)
    try breakLinks(of: device)
    try device.losePower(choice)
    for position in others where try !device.database.hasChange(position) {
      throw Violation(
        law: "nothing leaves a device before it is durable",
        details: "\(device.name) lost change \(position.seq) of the log \(position.log), of which others have heard")
    }
    try excuseWhatIsGone()
  }

  private func restore(_ device: SimulatedDevice, _ step: Step) throws {
    guard let files = device.saved[step.word(0)] else { return }
    try breakLinks(of: device)
    device.close()
    switch step.word(1) {
    case "inplace":
      // Only the database is older than what its own note of commits says.
      try HomeFiles.overwrite(device.home, with: files.filter { $0.key != "wake" })
    case "whole":
      // Nothing can tell that this is an older state.
      try HomeFiles.overwrite(device.home, with: files)
      ledger.forking.insert(device.person)
    default: try HomeFiles.replace(device.home, files)
    }
    ledger.isPutBack = true
    device.forgetSnapshots()
    try device.open()
    try device.noteSnapshot()
    try excuseWhatIsGone()
    try committed(device)
  }

  private func clone(_ device: SimulatedDevice, as name: String) throws {
    guard self.device(name) == nil, devices.count < 16 else { return }
    try breakLinks(of: device)
    device.close()
    let home = "\(homes.folder.path)/\(name)"
    try HomeFiles.make(home, try HomeFiles.read(device.home))
    try device.open()
    let files = SimulatedFiles()
    files.copy(of: device.files)
    devices.append(
      try SimulatedDevice(
        name, person: device.person, home: home,
        clock: SimulatedClock(wall: device.clock.wall, seed: UInt64(1_000 + devices.count)), files: files
      ) { environment, options in try Database.open(at: home, environment: environment, options: options) })
    devices.last?.clock.pass(milliseconds: Int64((device.clock.monotonic - 1_000_000_000_000) / 1_000_000))
  }

  /// What its connections were told that it has on its disk.
  private func promised(by device: SimulatedDevice) -> [LogPosition] {
    links.filter { $0.has(device) }.flatMap(\.ends).filter { $0.device !== device }
      .flatMap { $0.acknowledged?.positions ?? [] }
  }

  /// Answers that the device has, of its person, and others as well.
  private func heldByOthers(_ device: SimulatedDevice) throws -> [LogPosition] {
    let others = devices.filter { $0 !== device }
    var held: [LogPosition] = []
    for answer in ledger.answers where answer.person == device.person {
      guard try device.database.hasChange(answer.position) else { continue }
      if try others.contains(where: { try $0.database.hasChange(answer.position) }) { held.append(answer.position) }
    }
    return held
  }

  /// What a device forgot, and nobody who stays has, may be gone for good, whoever wrote it: who had it may have been put
  /// back before, or expelled.
  func excuseWhatIsGone() throws {
    let staying = devices.filter { !ledger.expelled.contains($0.person) }
    for answer in ledger.answers where !ledger.excused.contains(answer.position) {
      let isHeld = try staying.contains { try $0.database.hasChange(answer.position) }
      if !isHeld { ledger.excused.insert(answer.position) }
    }
  }
}
