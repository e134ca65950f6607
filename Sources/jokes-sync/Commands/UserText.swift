internal import OfflineTree

/// People in words, and as JSON.
enum UserText {
  static func name(_ user: User) -> String { TerminalText.line(user.username) }

  static func full(_ user: User) -> String {
    "\(name(user)), \(TerminalText.line(user.email)), uid \(user.uid)" + (user.isEmailVerified ? ", vouched for" : "")
  }

  /// The beginning of the key of an account's state, as people read and type it.
  static func key(_ known: KnownUser) -> String { String(known.publicKey.description.prefix(16)) }

  static func line(_ known: KnownUser) -> String {
    let user = known.user
    let notes =
      [user.isEmailVerified ? "vouched for" : nil, known.isSecondWithEmail ? "second account with this email" : nil]
      .compactMap { $0 } + (known.isContested ? ["contested, key \(key(known))"] : [])
    return
      "\(user.uid)  \(name(user)), \(TerminalText.line(user.email)), made on \(TerminalText.line(known.deviceName)), "
      + LocalTime.text(milliseconds: user.createdAt) + notes.map { "; \($0)" }.joined()
  }

  static func list(_ users: [KnownUser], json: Bool, _ console: Console) throws {
    if json { return try console.print(json: self.json(users)) }
    for user in users { try console.print(line(user)) }
    if users.isEmpty { console.report("Nobody has an account yet. \"\(Program.name) signup\" makes one.") }
  }

  static func write(_ user: User?, to writer: inout JSONWriter) {
    guard let user else { return writer.null() }
    writer.beginObject()
    writeMembers(user, to: &writer)
    writer.endObject()
  }

  private static func writeMembers(_ user: User, to writer: inout JSONWriter) {
    writer.key("uid")
    writer.string(user.uid.text)
    writer.key("email")
    writer.string(user.email)
    writer.key("username")
    writer.string(user.username)
    writer.key("verified")
    writer.bool(user.isEmailVerified)
    writer.key("createdAt")
    writer.int(user.createdAt)
  }

  static func json(_ user: User?, _ reason: SignOutReason?) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("user")
    write(user, to: &writer)
    writer.key("signedOut")
    if let reason { writer.string(reason.description) } else { writer.null() }
    writer.endObject()
    return String(decoding: writer.take(), as: UTF8.self)
  }

  private static func json(_ users: [KnownUser]) -> String {
    var writer = JSONWriter()
    writer.beginArray()
    for known in users {
      writer.beginObject()
      writeMembers(known.user, to: &writer)
      writer.key("key")
      writer.string(known.publicKey.description)
      writer.key("device")
      writer.string(known.deviceName)
      writer.key("deviceKey")
      writer.string(known.device.description)
      writer.key("secondWithEmail")
      writer.bool(known.isSecondWithEmail)
      writer.key("contested")
      writer.bool(known.isContested)
      writer.endObject()
    }
    writer.endArray()
    return String(decoding: writer.take(), as: UTF8.self)
  }
}
