internal import OfflineTree
internal import Replicator

extension Command {
  static let status = Command(
    name: "status", usage: "", summary: "devices, clocks, what is pending, and what needs attention",
    details: """
      Equal clocks mean equal feeds; then the states are equal too. Members are devices that were let in; logs are what they
      wrote. Nothing is exchanged.
      """,
    operands: 0...0, example: "jokes-sync status"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let user = try Session(home: database.home).user()
    let report = try StatusReport(database)
    for line in report.lines(user: user, invocation.console) { try invocation.console.print(line) }
  }
}

/// What a person should know of a home, in lines.
private struct StatusReport {
  private let database: Database
  private let status: DatabaseStatus
  private let members: [Member]
  private let standing: OwnStanding
  private let forks: [ForkProof]
  private let remotes: ReplicatorStatus
  private let spaceName: String?
  private let knowsSpace: Bool
  private let clock: Bytes32
  private let stateHash: Bytes16
  private let now: Int64

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
    now = Environment.system.wallClock()
  }

  func lines(user: Key?, _ console: Console) -> [String] {
    let name = spaceName.map { " (\(TerminalText.line($0)))" } ?? ""
    let alarms = self.alarms
    return [
      "space   \(database.spaceID)\(name)",
      "home    \(TerminalText.line(database.home))",
      "device  \(TerminalText.line(database.deviceName)), key \(database.deviceKey)",
      "role    \(role)",
      "user    \(user.map { TerminalText.line($0.text) } ?? "nobody yet: jokes-sync signup --username NAME")",
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

  private var role: String {
    guard let member = members.first(where: \.isSelf) else { return "not in the space yet: jokes-sync sync" }
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

  // MARK: What to do

  private var alarms: [String] {
    var alarms: [String] = []
    if !knowsSpace {
      alarms.append("This device knows nothing of the space yet, and cannot write: add a remote, then sync.")
    }
    if let member = members.first(where: { $0.isSelf && $0.isEnded }) {
      alarms.append(
        (member.hasLeft
          ? "This device has left the space"
          : "This device was removed from the space" + (member.endedBy.map { " by \(TerminalText.line($0))" } ?? ""))
          + ": it reads what it has, and cannot write or connect. To come back it needs a new invite and a new home.")
    }
    if database.isCopy {
      alarms.append("This home is a copy of another one, or was restored: it writes to a log of its own.")
    }
    if status.mustLeaveLog {
      alarms.append("Others hold another history of this device: the next write begins a new log.")
    }
    if standing.isInviteEnded {
      alarms.append(
        "The invite of this device was ended before it joined: ask for a new one, and join with a new home.")
    }
    if !standing.hasCurrentKey, !members.contains(where: { $0.isSelf && $0.isEnded }) {
      alarms.append(
        "The space's key was changed, and this device does not have the new one: sync with a member that has it.")
    }
    alarms += forks.map { fork in
      let name = TerminalText.line(fork.deviceName)
      return "\(name) wrote two histories from change \(fork.seq) of its log on"
        + (fork.heads.count > 1 ? ", and signed both" : "")
        + ": it was restored or copied, or its program is changed. Nothing is lost. If it is not to be trusted: "
        + "\(Program.name) member remove \(name)."
    }
    if status.waitingCount > 0 {
      alarms.append(
        "\(status.waitingCount) changes (\(status.waitingBytes) bytes) wait for others that have not come: "
          + (status.waitsForUpdate ? "update this program." : "sync with a device that has them."))
    }
    if status.voidCount > 0 {
      alarms.append("\(status.voidCount) changes have no effect:")
      alarms += status.voids.prefix(10).map {
        "  \(TerminalText.line($0.deviceName)), change \($0.seq): \(TerminalText.line($0.reason))"
      }
    }
    return alarms + skewed
  }

  /// Clocks that are off do not decide anything; times shown are wrong.
  private var skewed: [String] {
    let peers = (remotes.remotes.flatMap(\.peers) + remotes.incoming).compactMap { peer in
      peer.skew.map { (peer.identity.name, $0) }
    }
    let logs = status.logs.filter { $0.lastWallTime > now + 60_000 }.map { ($0.deviceName, $0.lastWallTime - now) }
    return (peers + logs).map { name, skew in
      "The clock of \(TerminalText.line(name)) is ahead by \(skew / 1_000) s: set it. No change is lost by it."
    }
  }
}
