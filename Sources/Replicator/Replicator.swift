public import OfflineTree

/// Keeps a database in exchange with its remotes: shared folders and devices on TCP.
///
/// One per open database; safe to use from any thread. The list of remotes is kept in the database.
public final class Replicator: Sendable {
  let database: Database
  let environment: Environment
  let records: RemoteRecords

  public init(database: Database) {
    self.database = database
    environment = database.environment
    records = RemoteRecords(database: database)
  }

  /// Of each log how many changes somebody is known to have, by rows of remotes that were found in a damaged database.
  package static func acknowledged(in records: [(key: [UInt8], value: [UInt8])]) -> [LogID: UInt64] {
    RemoteRecords.acknowledged(in: records)
  }

  /// The remotes, in the order in which they were added.
  public func remotes() throws -> [RemoteAddress] { try records.remotes() }

  /// Adds a remote. One that is there already stays as it is; of a folder, what stands there now is taken for it from now on.
  /// Nothing is exchanged yet.
  ///
  /// - Returns: The address as it is kept: a folder without links and relative parts.
  /// - Throws: `.notFound` for a folder that is not there, `.inputOutput` for one that cannot be written to,
  ///   `.invalidArgument` for one that contains the home or lies in it.
  @discardableResult
  public func addRemote(_ address: RemoteAddress) throws -> RemoteAddress {
    let address = try checked(address)
    if case .folder = address { try records.takeNextFolder(remote: address.description) }
    if try !remotes().contains(address) { try records.add(address, now: environment.wallClock()) }
    return address
  }

  /// Forgets a remote and what it acknowledged. The folder's files stay: others may still need them.
  ///
  /// - Throws: `.notFound` if there is no such remote.
  public func removeRemote(_ address: RemoteAddress) throws {
    let known = try remotes()
    guard let found = known.first(where: { $0 == address }) ?? known.first(where: { $0 == resolved(address) }) else {
      throw TreeError(.notFound, "there is no remote \(address)", advice: "List the remotes to see their addresses")
    }
    try records.remove(found)
  }

  private func resolved(_ address: RemoteAddress) -> RemoteAddress {
    guard case .folder(let path) = address, let real = try? FileSystem.realPath(path) else { return address }
    return .folder(path: real)
  }

  private func checked(_ address: RemoteAddress) throws(TreeError) -> RemoteAddress {
    guard case .folder(let path) = address else { return address }
    let real: String
    do {
      real = try FileSystem.realPath(path)
    } catch  where error.code == .notFound {
      throw TreeError(.notFound, "there is no folder \(path)", advice: "Make it first, then add it again")
    }
    guard FileSystem.look(at: real)?.kind == .folder else {
      throw TreeError(.invalidArgument, "\(path) is not a folder", advice: "Name the folder that is shared")
    }
    let home = try FileSystem.realPath(database.home)
    if Self.isAtOrBelow(home, real) {
      throw TreeError(
        .invalidArgument, "the folder \(path) contains this device's own data (\(home)), which must not be shared",
        advice: "Share a folder of its own, beside the home")
    }
    if Self.isAtOrBelow(real, home) {
      throw TreeError(
        .invalidArgument, "the folder \(path) lies in this device's own data (\(home)), which must not be shared",
        advice: "Share a folder of its own, beside the home")
    }
    guard FileSystem.isWritable(real) else {
      throw TreeError(
        .inputOutput, "this device may not write to the folder \(path)", advice: "Check who owns it and its permissions"
      )
    }
    return .folder(path: real)
  }

  private static func isAtOrBelow(_ path: String, _ folder: String) -> Bool {
    let (path, folder) = (Array(path.utf8), Array(folder.utf8))
    guard path.starts(with: folder) else { return false }
    return path.count == folder.count || folder == [UInt8(ascii: "/")] || path[folder.count] == UInt8(ascii: "/")
  }
}
