public import OfflineTree

extension Backup {
  /// Who a restored home is.
  public enum Identity: Sendable {
    /// The same device, by the file of its keys: in a new log.
    case sameDevice(keys: String)
    /// A new device of the space.
    case newDevice(Invite, name: String)
    /// Nobody: it shows what it holds, and writes nothing.
    case nobody
  }

  /// What one run of `restore` did.
  public struct Restored: Sendable {
    /// Changes that were new to the home, and that it had.
    public var applied = 0
    public var duplicates = 0
    /// Changes that wait for others, which the backup does not hold.
    public var waiting = 0
    /// Places of the file that were damaged and passed over.
    public var damages = 0
    /// Logs that the backup held further than the home does now: what lay there is damaged or waits.
    public var incompleteLogs = 0
    /// Was the state hash compared with the one that the database had, and equal?
    public var isProven = false
    /// By which the device exchanged.
    public var remotes: [RemoteAddress] = []
    /// Small files that went along.
    public var files: [(name: String, bytes: [UInt8])] = []
  }

  /// What stood where a backup is restored to.
  public enum Target: Sendable, Equatable {
    /// Nothing: the home was made, with the identity.
    case made
    /// A home with that identity, as one whose restore was broken off.
    case same
    /// The home of another device, or of one that was not named. The identity was not used.
    case other
  }

  /// Opens a home that takes in what a backup holds, or makes it.
  ///
  /// A home that exists keeps what it has and who it is: nothing is lost or counted twice. Changes come in as from any peer:
  /// signatures, chains and rights are judged again.
  ///
  /// - Throws: `refused` for a home, an invite or keys of another space, for the keys of a device and the home of another one,
  ///   and for an invite and the home of the device itself; `wrongPassword`.
  public static func open(
    _ home: String, for path: String, _ secret: BackupSecret, as identity: Identity,
    environment: Environment = .system, options: Database.Options = Database.Options()
  ) throws(TreeError) -> (database: Database, restoring: Restoring) {
    let reader = try BackupReader(try BackupFile(path, isWritten: false), secret)
    let about = reader.about
    let database: Database
    let isThere = FileSystem.exists("\(home)/data/data.mdb")
    if isThere {
      database = try Database.open(at: home, environment: environment, options: options)
    } else {
      if try reader.last().end == nil { throw empty(path) }
      switch identity {
      case .sameDevice(let keys):
        database = try Database.makeAgain(
          at: home, space: about.space, device: about.device, keys: keys, deviceName: about.deviceName,
          environment: environment, options: options)
      case .newDevice(let invite, let name):
        guard invite.spaceID == about.space else { throw otherSpace("the invite is to") }
        database = try Database.join(
          at: home, invite: invite, deviceName: name, environment: environment, options: options)
      case .nobody:
        database = try Database.makeReadOnly(
          at: home, space: about.space, deviceName: about.deviceName, environment: environment, options: options)
      }
    }
    do throws(TreeError) {
      let target = isThere ? try target(database, identity, about) : .made
      return (database, Restoring(target: target, reader: reader, path: path))
    } catch {
      database.close()
      throw error
    }
  }

  /// What a home that exists is to the identity that was asked for.
  private static func target(
    _ database: Database, _ identity: Identity, _ about: BackupAbout
  ) throws(TreeError) -> Target {
    let home = database.home
    guard database.spaceID == about.space else { throw otherSpace("\(home) is a device of") }
    switch identity {
    case .sameDevice:
      guard database.deviceKey == about.device else {
        throw TreeError(
          .refused, "\(home) is the home of another device than the one whose backup this is",
          advice: "Name another folder; or leave the keys away, and that home takes in what it lacks.")
      }
      return .same
    case .newDevice(let invite, _):
      guard invite.spaceID == about.space else { throw otherSpace("the invite is to") }
      guard database.deviceKey != about.device else {
        throw TreeError(
          .refused, "\(home) is the home of the device whose backup this is, and no new one",
          advice: "Name another folder; or leave the invite away, and that home takes in what it lacks.")
      }
      return .other
    case .nobody: return .other
    }
  }

  private static func otherSpace(_ what: String) -> TreeError {
    TreeError(
      .refused, "\(what) another space than the one of the backup", advice: "Choose another home or another backup.")
  }

  /// A backup that was opened for a home.
  public struct Restoring {
    public let target: Target
    let reader: BackupReader
    let path: String

    /// Takes in what the backup holds; durable when it returns.
    ///
    /// - Parameters:
    ///   - isPatient: Passes over what is damaged; else that throws, and the home keeps what came before it.
    ///   - progress: Called with the number of changes so far, and of all.
    public func run(
      into database: Database, isPatient: Bool = false, progress: (Int, Int) -> Void = { _, _ in }
    ) throws -> Restored {
      var restored = Restored()
      var content = BackupContent(reader)
      let all = Int(clamping: try reader.last().end?.changes ?? 0)
      try content.read(isPatient: isPatient) { item throws(TreeError) in
        switch item {
        case .changes(let runs):
          try take(runs, into: database, &restored, isPatient)
          progress(restored.applied + restored.duplicates, all)
        case .image(let bytes): try database.keepImage(bytes)
        case .settings(let settings):
          restored.remotes = settings.remotes.compactMap { try? RemoteAddress(parsing: $0) }
          restored.files = settings.files.map { ($0.name, $0.bytes) }
        }
      }
      guard let end = content.end else { throw Backup.empty(path) }
      restored.damages = content.damages
      restored.waiting = try database.read { try $0.status().waitingCount }
      restored.incompleteLogs = try Set(end.clock.filter { try !database.hasChange($0) }.map(\.log)).count
      restored.isProven = try isProven(end, database)
      // Not before everything is here: what it writes names what it has seen.
      try database.introduceIfDue()
      return restored
    }

    private func take(
      _ runs: [ChangeRun], into database: Database, _ restored: inout Restored, _ isPatient: Bool
    ) throws(TreeError) {
      let reception = try database.receive(runs, keepBlocked: true, isActive: false)
      restored.applied += reception.applied
      restored.duplicates += reception.duplicates
      if let refusal = reception.refused.first, !isPatient { throw refusal.error }
    }

    /// - Throws: `damaged` if the database is at the clock of the backup, and in another state.
    private func isProven(_ end: BackupEnd, _ database: Database) throws -> Bool {
      guard let expected = end.stateHash else { return false }
      let (clock, hash) = try database.read { transaction in (try transaction.clock(), try transaction.stateHash()) }
      guard Set(clock.positions) == end.clock else { return false }
      if hash == expected { return true }
      throw TreeError(
        .damaged, "what \(path) holds gives another state than the one that was backed up",
        advice: "One of the two databases is damaged: compare with another device, and report this.")
    }
  }
}
