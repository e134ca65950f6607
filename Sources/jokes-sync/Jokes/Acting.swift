internal import OfflineTree

/// Who acts on this device.
extension Database {
  /// Who is logged in.
  ///
  /// - Throws: `refused` with what comes first: a sync, a role, a log-in.
  func requireUser() throws -> User {
    let auth = Auth(self)
    if let user = try auth.currentUser { return user }
    try requireWriter()
    let reason = try auth.signOutReason.map { ": \($0)" } ?? ""
    throw TreeError(
      .refused, "nobody is logged in on this device\(reason)",
      advice: "Run \"\(Program.name) login\", or \"\(Program.name) signup\" if you have no account.")
  }

  /// Refuses on a device that cannot write, before anybody is asked for a password.
  ///
  /// - Throws: `refused`.
  func requireWriter() throws {
    guard let own = try members().first(where: \.isSelf) else {
      if try ownStanding().isReadOnly {
        throw TreeError(
          .refused, "this home was restored to be read: it is no device of the space",
          advice: "Restore into another home with --key or --invite.")
      }
      throw TreeError(
        .refused, "this device knows nothing of the space yet",
        advice: "Sync once first: \"\(Program.name) remote add\", then \"\(Program.name) sync\".")
    }
    if own.isEnded {
      throw TreeError(
        .refused, "this device is out of the space",
        advice: "What it has stays readable here. To come back it needs a new invite and a new home.")
    }
    if own.role == .reader {
      throw TreeError(
        .refused, "this device is a reader: it sees everything, and changes nothing",
        advice: "Ask an owner: \"\(Program.name) member grant NAME member\", with the name of this device.")
    }
  }

  func isOwner() throws -> Bool {
    try members().contains { $0.isSelf && !$0.isEnded && $0.role == .owner }
  }
}
