internal import OfflineTree

/// Devices of a space in words, and as JSON.
enum MemberText {
  static func key(_ member: Member) -> String { String(member.deviceKey.description.prefix(16)) }

  static func list(_ members: [Member], json: Bool, _ console: Console) throws {
    if json { return try console.print(json: self.json(members)) }
    for member in members { try console.print(line(member)) }
    if members.isEmpty { console.report("Nothing of this space has come yet: \(Program.name) sync.") }
  }

  static func line(_ member: Member) -> String {
    let whose = member.isSelf ? " (this device)" : ""
    let standing =
      if member.isEnded {
        member.hasLeft ? "left" : "removed" + (member.endedBy.map { " by \(TerminalText.line($0))" } ?? "")
      } else {
        (member.role?.description ?? "no role") + (member.isFounder ? ", made the space" : "")
      }
    let time = LocalTime.text(milliseconds: member.introducedAt)
    return "\(key(member))  \(TerminalText.line(member.name))\(whose): \(standing), since \(time)"
  }

  private static func json(_ members: [Member]) -> String {
    var writer = JSONWriter()
    write(members, to: &writer)
    return String(decoding: writer.take(), as: UTF8.self)
  }

  static func write(_ members: [Member], to writer: inout JSONWriter) {
    writer.beginArray()
    for member in members {
      writer.beginObject()
      writer.key("key")
      writer.string(member.deviceKey.description)
      writer.key("name")
      writer.string(member.name)
      writer.key("role")
      if let role = member.role { writer.string(role.description) } else { writer.null() }
      writer.key("founder")
      writer.bool(member.isFounder)
      writer.key("self")
      writer.bool(member.isSelf)
      writer.key("ended")
      writer.bool(member.isEnded)
      writer.key("endedBy")
      if let name = member.endedBy { writer.string(name) } else { writer.null() }
      writer.key("introducedAt")
      writer.int(member.introducedAt)
      writer.endObject()
    }
    writer.endArray()
  }

  /// What a removal does, and what it cannot do.
  static func removed(_ members: [Member]) -> String {
    let names = members.map { TerminalText.line($0.name) }.joined(separator: " and ")
    return """
      \(names): no longer in the space. Others learn of it when they sync. The key is new, and the open invites that this device may end have ended.
      Stop sharing the folder with \(names), where you do: who can write to a folder can delete and flood it, and see sizes and times.
      What was there before stays readable to \(names). What comes after is not, and nothing that \(names) can do counts any more:
      it cannot connect, nor come back by an old invite.
      """
  }
}
