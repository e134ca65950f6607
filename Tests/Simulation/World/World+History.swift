import OfflineTree
import Replicator
import TestSupport

extension World {
  /// `ben keeps all`, `ben keeps little`: how much history he keeps from now on. `ben compacts`: drops what he may.
  func reduce(_ device: SimulatedDevice, _ step: Step) throws {
    if step.verb == .keeps {
      try device.database.setHistoryRetention(step.word(0) == "all" ? .all : .little)
      try device.database.upkeep()
    } else {
      let before = try Fleet.records(of: device.database)
      let report = try device.replicator.compact()
      ledger.droppedChanges += report.droppedChanges
      if report.droppedChanges > 0 { try checkDropped(device, before) }
    }
    try committed(device)
  }

  /// `anna vouches`: the founder's device makes a checkpoint for newcomers, which its next exchange puts into the folder.
  func vouch(_ device: SimulatedDevice) throws {
    do {
      try device.database.attest()
    } catch let error as TreeError where error.code == .refused || error.code == .unavailable {
      return
    }
    try committed(device)
  }

  /// Those who have all history: what is compared with the model is taken from one of them.
  func isWhole(_ device: SimulatedDevice) throws -> Bool { try device.database.history().droppedChanges == 0 }

  /// What is gone every keeper has, in one of its homes at least: of a copy nobody may have heard. Unless one was put back.
  private func checkDropped(_ device: SimulatedDevice, _ before: [Record]) throws {
    if ledger.isPutBack { return }
    let keys = Set(try device.database.keepers())
    let keepers = Dictionary(grouping: devices, by: \.database.deviceKey).filter { keys.contains($0.key) }.values
    // Beside what it has, a device hands out what it keeps back and does not understand.
    for record in try before.filter({ try device.database.hasChange($0.position) }) {
      // What is dropped cannot be read; what follows in its log can, and is only not handed out.
      if let run = try? device.database.run(endingAt: record.position, from: record.seq, maximumBytes: 1),
        run.bodies.first.map(Array.init) == record.body
      {
        continue
      }
      for homes in keepers where try !homes.contains(where: { try $0.database.hasChange(record.position) }) {
        throw Violation(
          law: "what is dropped every keeper has",
          details:
            "\(device.name) dropped change \(record.seq) of the log \(record.log), which \(homes[0].person) lacks")
      }
    }
  }
}
