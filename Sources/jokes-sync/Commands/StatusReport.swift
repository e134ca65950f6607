internal import OfflineTree
internal import Replicator

/// What a person should know of a home, in lines.
struct StatusReport {
  let database: Database
  let status: DatabaseStatus
  let members: [Member]
  let standing: OwnStanding
  let forks: [ForkProof]
  let remotes: ReplicatorStatus
  let spaceName: String?
  let knowsSpace: Bool
  let clock: Bytes32
  let stateHash: Bytes16
  let users: [KnownUser]
  let user: User?
  let signOutReason: SignOutReason?
  /// What this device did and counts for nothing, as far as it was not dealt with.
  let reissuable: ReissuableCount
  let now: Int64

  private static let reissuableLimit = 100

  init(_ database: Database) throws {
    self.database = database
    (status, spaceName, knowsSpace, clock, stateHash, forks) = try database.read { transaction in
      let genesis = try transaction.genesis()
      return (
        try transaction.status(), genesis?.name, genesis != nil, try transaction.clock().digest,
        try transaction.stateHash(), try transaction.forkProofs()
      )
    }
    members = try database.members()
    standing = try database.ownStanding()
    remotes = try Replicator(database: database).status()
    let auth = Auth(database)
    users = try auth.users()
    (user, signOutReason) = (try auth.currentUser, try auth.signOutReason)
    reissuable = try database.reissuableCount(as: user?.uid, limit: StatusReport.reissuableLimit)
    now = Environment.system.wallClock()
  }

  func lines(_ console: Console) -> [String] {
    let name = spaceName.map { " (\(TerminalText.line($0)))" } ?? ""
    return [
      "space   \(database.spaceID)\(name)",
      "home    \(TerminalText.line(database.home))",
      "device  \(TerminalText.line(database.deviceName)), key \(database.deviceKey)",
      "role    \(role)",
      "user    \(user.map(UserText.full) ?? nobody)",
      "clock   \(clock)",
      "state   \(stateHash)",
    ] + [console.bold("Members")] + indented(members.map(MemberText.line), "not known: run \"jokes-sync sync\" first")
      + [console.bold("Logs")] + indented(logs, "none: run \"jokes-sync sync\" first")
      + [console.bold("Remotes")] + indented(remoteLines, "none: jokes-sync remote add folder PATH | tcp HOST:PORT")
      + indented(remotes.incoming.map { "dialled us: \(peer($0))" }, nil)
      + ["Safe on \(remotes.safeOn) other \(remotes.safeOn == 1 ? "device" : "devices")."]
      + [console.bold("Attention")] + indented(alarms, "nothing")
  }

  private func indented(_ lines: [String], _ empty: String?) -> [String] {
    (lines.isEmpty ? empty.map { [$0] } ?? [] : lines).map { "  " + $0 }
  }

  private var nobody: String {
    "nobody is logged in\(signOutReason.map { ", since \($0)" } ?? ""): \(Program.name) login, or signup"
  }

  private var role: String {
    guard let member = members.first(where: \.isSelf) else {
      return standing.isReadOnly ? "none: it was restored to be read" : "not in the space yet: jokes-sync sync"
    }
    return member.isEnded
      ? "none any more" : (member.role?.description ?? "none") + (member.isFounder ? ", made the space" : "")
  }

  private var logs: [String] {
    status.logs.map { log in
      let own = log.isOwn ? log.isCurrent ? " (this device)" : " (this device, an older log)" : ""
      let branch = log.isBranch ? ", a branch of a fork" : ""
      let changes = log.count > 0 ? log.count - 1 : 0
      return "\(TerminalText.line(log.deviceName))\(own)\(branch): \(changes) \(changes == 1 ? "change" : "changes"), "
        + "last \(LocalTime.text(milliseconds: log.lastWallTime)), log \(log.id)"
    }
  }

  private var remoteLines: [String] {
    remotes.remotes.flatMap { remote in
      let last = remote.lastExchange.map { "last exchange \(LocalTime.text(milliseconds: $0))" } ?? "no exchange yet"
      let head = "\(RemoteText.address(remote.address)): \(remote.pending) pending, \(last)"
      return [head] + remote.peers.map { "  \(peer($0))" } + remote.problems.map { "  ! \(TerminalText.line($0))" }
    }
  }

  private func peer(_ peer: ReplicatorStatus.Peer) -> String {
    let name = peer.identity.name.isEmpty ? "device \(peer.identity.deviceKey.prefix16)" : peer.identity.name
    return "\(TerminalText.line(name)): \(peer.hasAllOfOurs ? "has everything of ours" : "lacks some of ours"), "
      + "last seen \(LocalTime.text(milliseconds: peer.heardAt))"
  }
}
