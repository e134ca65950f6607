internal import OfflineTree
internal import Replicator

/// What needs attention.
extension StatusReport {
  var alarms: [String] {
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
    if standing.isReadOnly {
      alarms.append(
        "This home was restored to be read: it is no device of the space. To write, restore into another home with --key or "
          + "--invite.")
    }
    if database.isCopy {
      alarms.append("This home is a copy of another one, or was restored: it writes to a log of its own.")
    }
    if status.mustLeaveLog {
      alarms.append(
        "This home was repaired, restored or copied, or others hold more of its log: the next write begins a new log.")
    }
    if standing.isInviteEnded {
      alarms.append(
        "The invite of this device was ended before it joined: ask for a new one, and join with a new home.")
    }
    if !standing.hasCurrentKey, !standing.isReadOnly, !members.contains(where: { $0.isSelf && $0.isEnded }) {
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
    if status.missedByRepair > 0 {
      let isOne = status.missedByRepair == 1
      alarms.append(
        "This home was repaired, and "
          + (isOne ? "1 change of others that it had is" : "\(status.missedByRepair) changes of others that it had are")
          + " not back yet: what is shown is not whole. Sync with a device that has everything; one that keeps all history, "
          + "if there is one.")
    }
    alarms += remotes.lost.map(HistoryText.lost)
    if status.waitingForHistory > 0, remotes.needsKeeper {
      alarms.append(HistoryText.waiting(status.waitingForHistory, keepers))
    }
    let waiting = status.waitingCount - status.waitingForHistory
    if waiting > 0 {
      alarms.append(
        (waiting == 1 ? "1 change waits" : "\(waiting) changes wait") + " for others that have not come: "
          + (status.waitsForUpdate ? "update this program." : "sync with a device that has them."))
    }
    if status.voidCount > 0 {
      alarms.append("\(status.voidCount) \(status.voidCount == 1 ? "change has" : "changes have") no effect:")
      alarms += status.voids.prefix(10).map {
        "  \(TerminalText.line($0.deviceName)), change \($0.seq): \(TerminalText.line($0.reason))"
      }
    }
    return alarms + reissue + people + failing + skewed
  }

  /// Others that keep all history.
  var keepers: [HistoryStatus.Keeper] { status.keepers.filter { $0.deviceKey != database.deviceKey } }

  /// What can be done about this device's own changes that have no effect.
  private var reissue: [String] {
    let isEnded = members.contains { $0.isSelf && $0.isEnded }
    let command = "\"\(Program.name) reissue\""
    func number(_ count: Int) -> String { reissuable.isMore ? "at least \(count)" : "\(count)" }
    var lines: [String] = []
    if reissuable.own > 0 {
      let them = reissuable.own == 1 && !reissuable.isMore ? "it" : "them"
      lines.append(
        "This device made \(number(reissuable.own)) of them"
          + (isEnded
            ? ": \(command) lists \(them), to be entered again on another home."
            : ", and can do \(them) again: \(command) lists \(them)."))
    }
    if reissuable.others > 0 {
      lines.append(
        "Somebody who is not logged in now made \(number(reissuable.others)) of them on this device: when they are, "
          + "\(command) lists what that was.")
    }
    if lines.isEmpty, reissuable.isMore { lines.append("This device made many of them: \(command) lists them.") }
    return lines
  }

  private var people: [String] {
    let second = users.filter(\.isSecondWithEmail).map { known in
      "Second account with the email \(TerminalText.line(known.user.email)): \(UserText.name(known.user)), uid "
        + "\(known.user.uid), made on \(TerminalText.line(known.deviceName)). Both count. An owner who knows whose email it is: "
        + "\(Program.name) vouch UID."
    }
    let contested = Set(users.filter(\.isContested).map(\.user.uid)).sorted {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
    return second
      + contested.map { uid in
        "The account \(uid) has two passwords, set by devices that did not know of each other. It is decided by its person "
          + "(\(Program.name) recover) or an owner (\(Program.name) resolve \(uid) --keep KEY)."
      }
  }

  private var failing: [String] {
    remotes.remotes.filter { !$0.problems.isEmpty }.map {
      "The last exchange with \(RemoteText.address($0.address)) had problems: see Remotes."
    }
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
