package import OfflineTree

extension RawLog {
  /// Appends a change made of these parts, in the order and with the lies that it is given.
  @discardableResult
  package mutating func write(
    _ operations: [Operation], seeing parents: [Record] = [], stamp: Stamp, isImport: Bool = false,
    bindings: [ElementBinding] = []
  ) throws -> Record {
    try append(
      Change(
        parents: parents.map(\.parent).sorted(), stamp: stamp, wallTime: Int64(clamping: stamp.milliseconds),
        isImport: isImport, bindings: bindings, operations: operations))
  }
}

/// A replica that only listens: it gets changes by hand.
package final class Listener {
  package let database: Database
  private let folder: TemporaryFolder

  package init(_ genesis: Record, space: SpaceID, seed: UInt64 = 0) throws {
    folder = try TemporaryFolder()
    database = try Database.join(
      at: folder.path + "/home", space: space, deviceName: "listener",
      environment: TestClock(now: 1_000, seed: seed).environment, options: Fleet.options)
    _ = try database.receive([genesis.run], keepBlocked: true)
  }

  deinit { database.close() }

  @discardableResult
  package func receive(_ records: [Record]) throws -> Reception {
    try database.receive(records.map(\.run), keepBlocked: true)
  }
}
