internal import OfflineTree
internal import Replicator

extension StatusReport {
  func json() -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writeHead(to: &writer)
    writer.key("members")
    MemberText.write(members, to: &writer)
    writer.key("logs")
    writeLogs(to: &writer)
    writer.key("remotes")
    writeRemotes(to: &writer)
    writer.key("safeOn")
    writer.int(Int64(remotes.safeOn))
    writer.key("history")
    writeHistory(to: &writer)
    writer.key("void")
    writeVoids(to: &writer)
    writer.key("reissuable")
    writer.int(Int64(reissuable.own))
    writer.key("attention")
    writer.beginArray()
    for alarm in alarms { writer.string(alarm) }
    writer.endArray()
    writer.endObject()
    return String(decoding: writer.take(), as: UTF8.self)
  }

  private func writeHead(to writer: inout JSONWriter) {
    func member(_ name: String, _ text: String?) {
      writer.key(name)
      if let text { writer.string(text) } else { writer.null() }
    }
    let own = members.first(where: \.isSelf)
    member("space", database.spaceID.description)
    member("spaceName", spaceName)
    member("home", database.home)
    member("device", database.deviceName)
    member("deviceKey", database.deviceKey.description)
    member("role", own?.role?.description)
    writer.key("user")
    UserText.write(user, to: &writer)
    member("signedOut", signOutReason?.description)
    member("clock", clock.description)
    member("state", stateHash.description)
  }

  private func writeLogs(to writer: inout JSONWriter) {
    writer.beginArray()
    for log in status.logs {
      writer.beginObject()
      writer.key("log")
      writer.string(log.id.description)
      writer.key("device")
      writer.string(log.deviceName)
      writer.key("deviceKey")
      writer.string(log.deviceKey.description)
      writer.key("changes")
      writer.int(Int64(clamping: log.count > 0 ? log.count - 1 : 0))
      writer.key("last")
      writer.int(log.lastWallTime)
      writer.key("own")
      writer.bool(log.isOwn)
      writer.endObject()
    }
    writer.endArray()
  }

  private func writeRemotes(to writer: inout JSONWriter) {
    writer.beginArray()
    for remote in remotes.remotes {
      writer.beginObject()
      writer.key("address")
      writer.string(remote.address.description)
      writer.key("pending")
      writer.int(Int64(clamping: remote.pending))
      writer.key("lastExchange")
      if let time = remote.lastExchange { writer.int(time) } else { writer.null() }
      writer.key("problems")
      writer.beginArray()
      for problem in remote.problems { writer.string(problem) }
      writer.endArray()
      writer.endObject()
    }
    writer.endArray()
  }

  private func writeHistory(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("waiting")
    writer.int(Int64(clamping: status.waitingForHistory))
    writer.key("missedByRepair")
    writer.int(Int64(clamping: status.missedByRepair))
    writer.key("keepers")
    writer.beginArray()
    for keeper in status.keepers { writer.string(keeper.deviceName) }
    writer.endArray()
    writer.key("lost")
    writer.beginArray()
    for lost in remotes.lost {
      writer.beginObject()
      writer.key("log")
      writer.string(lost.log.description)
      writer.key("device")
      writer.string(lost.deviceName)
      writer.key("first")
      writer.int(Int64(clamping: lost.first))
      writer.key("last")
      writer.int(Int64(clamping: lost.last))
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }

  private func writeVoids(to writer: inout JSONWriter) {
    writer.beginArray()
    for void in status.voids {
      writer.beginObject()
      writer.key("device")
      writer.string(void.deviceName)
      writer.key("change")
      writer.int(Int64(clamping: void.seq))
      writer.key("reason")
      writer.string(void.reason)
      writer.endObject()
    }
    writer.endArray()
  }
}
