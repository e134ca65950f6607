internal import OfflineTree

extension Command {
  static let changePassword = Command(
    name: "passwd", usage: "", summary: "set another password",
    details: """
      Asks for the old password, and twice for the new one. Your other devices are logged out when they hear of it, and take the
      new password from then on. What you wrote there and this device has not heard of counts nowhere any more: sync first. The
      recovery code stays as it is. If both files are -, the old one is the first line.
      """,
    options: [.passwordFile, .newPasswordFile], operands: 0...0, example: "jokes-sync passwd"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    _ = try database.requireUser()
    let old = try SecretInput("The old password", .passwordFile, invocation).password()
    let new = try SecretInput("The new password", .newPasswordFile, invocation).newPassword()
    let auth = Auth(database)
    try await invocation.console.whileChecking { try await auth.updatePassword(from: old, to: new) }
    try invocation.console.print(
      "The password is changed. Next: \(Program.name) sync; your other devices are logged out when they have synced.")
  }

  static let recover = Command(
    name: "recover", usage: "[--email EMAIL] [--user UID]",
    summary: "set a new password by the code that \"signup\" printed, and log in",
    details: """
      Works on any device of the space that has synced since the sign-up, with no network. Asks for the code, unseen, and twice for
      the new password. Your other devices are logged out when they hear of it, and what you wrote there and this device has not
      heard of counts nowhere any more; nor does any password that the account ever had. An account whose email somebody has
      changed, or that was deleted, comes back with the email that you give: any that it ever had. --user says which account, by
      its uid, if several have the email and the code. The code stays as it is. If both files are -, the code is the first line.
      """,
    options: [.email, .user, .codeFile, .newPasswordFile], operands: 0...0,
    example: "jokes-sync recover --email alice@example.org"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    try database.requireWriter()
    let auth = Auth(database)
    let uid = try LogIn.user(invocation, auth)
    let email = try LogIn.email(invocation, of: uid, auth)
    let code = try SecretInput("Recovery code", .codeFile, invocation).recoveryCode()
    let password = try SecretInput("The new password", .newPasswordFile, invocation).newPassword()
    let user = try await invocation.console.whileChecking {
      try await auth.recover(withEmail: email, code: code, newPassword: password, user: uid)
    }
    try invocation.console.print(
      "The password is new, and you are logged in as \(UserText.full(user)). Next: \(Program.name) sync.")
  }
}
