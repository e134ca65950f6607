package import OfflineTree

extension RawLog {
  /// Appends a change made of these parts, in the order and with the lies that it is given.
  @discardableResult
  package mutating func write(
    _ operations: [Operation], seeing parents: [Record] = [], stamp: Stamp, author: Key? = nil,
    isImport: Bool = false, bindings: [ElementBinding] = []
  ) throws -> Record {
    try append(
      Change(
        parents: parents.map(\.parent).sorted(), stamp: stamp, wallTime: Int64(clamping: stamp.milliseconds),
        author: author, isImport: isImport, bindings: bindings, operations: operations))
  }

  /// Appends a change of control operations, as they are given.
  ///
  /// - Parameter recovery: Signs for them with the owner-recovery key.
  @discardableResult
  package mutating func control(
    _ controls: [ControlOperation], seeing parents: [Record] = [], stamp: Stamp, author: Key? = nil,
    recovery: RecoveryCode? = nil, operations: [Operation] = []
  ) throws -> Record {
    var change = Change(
      parents: parents.map(\.parent).sorted(), stamp: stamp, wallTime: Int64(clamping: stamp.milliseconds),
      author: author, controls: controls, operations: operations)
    if let recovery {
      let message = change.recoveryMessage(
        space: space, log: id, seq: UInt64(records.count), previous: tip?.hash ?? space)
      change.controls = (controls + [.recovery(recovery.sign(message))]).normalized
    }
    return try append(change)
  }

  /// Begins the log of a device that comes by an invite.
  @discardableResult
  package mutating func join(
    _ invite: RawInvite, name: String, seeing parents: [Record], stamp: Stamp
  ) throws -> Record {
    try introduce(
      name: name, standing: invite.standing(of: device, space: space, random: random),
      parents: parents.map(\.parent), stamp: stamp)
  }
}

/// A replica that gets changes by hand.
package final class Listener {
  package private(set) var database: Database
  package let clock: TestClock
  private let folder: TemporaryFolder

  /// - Parameter isMember: Does it introduce itself as soon as the space's invite is here? Else it only listens: its
  ///   invite is one that nobody has registered.
  package init(_ space: ModelSpace, isMember: Bool = false, seed: UInt64 = 0) throws {
    clock = TestClock(now: 1_000, seed: seed)
    folder = try TemporaryFolder()
    let invite = isMember ? space.invite : RawInvite(seed: clock.bytes(32))
    database = try Database.join(
      at: folder.path + "/home",
      invite: try invite.invite(
        space: space.id, epochKey: space.epochKey, registration: isMember ? space.registration : nil),
      deviceName: "listener", environment: clock.environment, options: Fleet.options)
    _ = try database.receive([space.beginning.run], keepBlocked: true)
  }

  /// One that only listens, in a space that real devices made.
  package init(hearing database: Database, seed: UInt64 = 0) throws {
    clock = TestClock(now: 1_000, seed: seed)
    folder = try TemporaryFolder()
    let invite = try RawInvite(seed: clock.bytes(32)).invite(
      space: database.spaceID, epochKey: try database.epochs().current.key.copyBytes(), registration: nil)
    self.database = try Database.join(
      at: folder.path + "/home", invite: invite, deviceName: "listener", environment: clock.environment,
      options: Fleet.options)
  }

  deinit { database.close() }

  /// The same home, closed and opened again.
  package func reopened() throws -> Database {
    database.close()
    database = try Database.open(
      at: folder.path + "/home", environment: clock.environment, options: Fleet.options)
    return database
  }

  @discardableResult
  package func receive(_ records: [Record]) throws -> Reception {
    try database.receive(records.map(\.run), keepBlocked: true)
  }

  @discardableResult
  package func receive(_ runs: [ChangeRun]) throws -> Reception {
    try database.receive(runs, keepBlocked: true)
  }
}
