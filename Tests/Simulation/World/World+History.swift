import OfflineTree
import Replicator

extension World {
  /// `ben keeps all`, `ben keeps little`: how much history he keeps from now on. `ben compacts`: drops what he may.
  func reduce(_ device: SimulatedDevice, _ step: Step) throws {
    if step.verb == .keeps {
      try device.database.setHistoryRetention(step.word(0) == "all" ? .all : .little)
      try device.database.upkeep()
    } else {
      let report = try device.replicator.compact()
      ledger.droppedChanges += report.droppedChanges
    }
    try committed(device)
  }

  /// Those who have all history: what is compared with the model is taken from one of them.
  func isWhole(_ device: SimulatedDevice) throws -> Bool { try device.database.history().droppedChanges == 0 }
}
