internal import OfflineTree

/// Invites in words, and as JSON.
enum InviteText {
  /// The beginning of a key, as people read and type it.
  static func key(_ publicKey: Bytes32) -> String { String(publicKey.description.prefix(16)) }

  static func key(_ invite: InviteStatus) -> String { key(invite.publicKey) }

  /// - Throws: `notFound` if no invite's key begins so, `invalidArgument` if several do.
  static func find(_ text: String, in invites: [InviteStatus]) throws(TreeError) -> InviteStatus {
    let found = invites.filter { KeyPrefix.matches(text, $0.publicKey) }
    guard let first = found.first else {
      throw TreeError(
        .notFound, "no invite's key begins with \"\(text)\"", advice: "\"\(Program.name) invite list\" shows the keys.")
    }
    if found.count > 1 {
      throw TreeError(
        .invalidArgument, "several keys begin with \"\(text)\": \(found.prefix(10).map(key).joined(separator: ", "))",
        advice: "Type more of the key.")
    }
    return first
  }

  static func list(_ invites: [InviteStatus], json: Bool, _ console: Console) throws {
    if json { return try console.print(json: self.json(invites)) }
    for invite in invites { try console.print(line(invite)) }
    if invites.isEmpty { console.report("There are no invites. \"\(Program.name) invite\" makes one.") }
  }

  private static func line(_ invite: InviteStatus) -> String {
    let end = invite.notAfter.map { ", ends on \(LocalTime.text(milliseconds: $0))" } ?? ""
    let maker = invite.isOwn ? "this device" : TerminalText.line(invite.minterName)
    let joined =
      invite.devices.isEmpty ? "" : "; joined: " + invite.devices.map(TerminalText.line).joined(separator: ", ")
    return "\(key(invite))  \(invite.role), \(invite.isOpen ? "open\(end)" : "ended"), by \(maker) on "
      + LocalTime.text(milliseconds: invite.mintedAt) + joined
  }

  private static func json(_ invites: [InviteStatus]) -> String {
    var writer = JSONWriter()
    writer.beginArray()
    for invite in invites {
      writer.beginObject()
      writer.key("key")
      writer.string(invite.publicKey.description)
      writer.key("role")
      writer.string(invite.role.description)
      writer.key("open")
      writer.bool(invite.isOpen)
      writer.key("by")
      writer.string(invite.minterName)
      writer.key("byKey")
      writer.string(invite.minter.description)
      writer.key("madeAt")
      writer.int(invite.mintedAt)
      writer.key("endsAt")
      if let time = invite.notAfter { writer.int(time) } else { writer.null() }
      writer.key("joined")
      writer.beginArray()
      for name in invite.devices { writer.string(name) }
      writer.endArray()
      writer.endObject()
    }
    writer.endArray()
    return String(decoding: writer.take(), as: UTF8.self)
  }
}

enum KeyPrefix {
  /// Is `text` the beginning of the key, in hexadecimal digits of either case?
  static func matches(_ text: String, _ key: Bytes32) -> Bool {
    !text.utf8.isEmpty && key.description.utf8.starts(with: text.lowercased().utf8)
  }
}
