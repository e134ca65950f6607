internal import OfflineTree

/// Finds a device by what people call it, or by the beginning of its key.
enum MemberName {
  /// So many digits of a key are needed at least, lest a short name be taken for one.
  private static let keyDigits = 4

  /// Names are what their owners chose, also other devices' names and keys: whatever fits several is refused.
  ///
  /// - Throws: `notFound`; `invalidArgument` if several fit; `refused` for a device that was ended.
  static func resolve(_ text: String, in members: [Member]) throws(TreeError) -> Member {
    // Nobody can take another's whole key.
    if let member = members.first(where: { $0.deviceKey.description.utf8.elementsEqual(text.lowercased().utf8) }) {
      return try open(member)
    }
    let fitting = members.filter {
      $0.name.utf8.elementsEqual(text.utf8)
        || text.utf8.count >= keyDigits && KeyPrefix.matches(text, $0.deviceKey)
    }
    let active = fitting.filter { !$0.isEnded }
    if active.count > 1 {
      throw TreeError(
        .invalidArgument,
        "several devices fit \"\(text)\": \(active.prefix(10).map(candidate).joined(separator: ", "))",
        advice: "Use the beginning of the key.")
    }
    if let member = active.first ?? fitting.first { return try open(member) }
    throw TreeError(
      .notFound, "there is no device \"\(text)\" in the space",
      advice: "\"\(Program.name) member list\" shows names and keys; \"\(Program.name) sync\" fetches news.")
  }

  /// Each of them once.
  static func resolve(_ texts: [String], in members: [Member]) throws(TreeError) -> [Member] {
    var found: [Member] = []
    for text in texts {
      let member = try resolve(text, in: members)
      if member.isSelf {
        throw TreeError(
          .refused, "\"\(text)\" is this device", advice: "To take it out of the space: \(Program.name) leave.")
      }
      if !found.contains(member) { found.append(member) }
    }
    return found
  }

  private static func open(_ member: Member) throws(TreeError) -> Member {
    if member.isEnded {
      throw TreeError(
        .refused, "\"\(TerminalText.line(member.name))\" is no member any more",
        advice: "\"\(Program.name) member list\" shows who is.")
    }
    return member
  }

  private static func candidate(_ member: Member) -> String {
    "\(TerminalText.line(member.name))\(member.isSelf ? " (this device)" : "") with the key \(MemberText.key(member))"
  }
}
