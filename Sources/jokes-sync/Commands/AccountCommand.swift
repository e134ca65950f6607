internal import OfflineTree

extension Command {
  static let account = Command(
    name: "account", usage: "email EMAIL | username NAME | delete [--yes]",
    summary: "change what your account says, or delete it",
    details: """
      Each asks for your password. Another email has to be vouched for anew. Jokes keep the username under which they were posted.
      "delete" removes the account and your profile; what you posted and voted stays, and history keeps the bytes. It asks you to
      type your email. It is not final against somebody who knows a password that the account had and a device that has not heard
      of it: if you fear that, "recover" first, which ends all old passwords for good. The recovery code brings the account back.
      """,
    options: [.passwordFile, .yes], operands: 1...2,
    example: "jokes-sync account username \"Alice in Wonderland\"\njokes-sync account delete"
  ) { invocation in
    let words = invocation.arguments.operands
    let database = try invocation.openDatabase()
    defer { database.close() }
    let (auth, console) = (Auth(database), invocation.console)
    let secret = SecretInput("Password", .passwordFile, invocation)
    switch (words[0], words.count) {
    case ("email", 2):
      _ = try database.requireUser()
      let (email, password) = (try Email.normalized(words[1]), try secret.password())
      let user = try await console.whileChecking { try await auth.updateEmail(to: email, password: password) }
      try console.print("You log in as \(TerminalText.line(user.email)) from now on.")
    case ("username", 2):
      _ = try database.requireUser()
      try UserName.require(words[1])
      let password = try secret.password()
      let user = try await console.whileChecking { try await auth.updateUsername(to: words[1], password: password) }
      try console.print("You are called \(UserText.name(user)) from now on.")
    case ("delete", 1):
      let user = try database.requireUser()
      try Confirmation.require(
        user.email,
        """
        A deleted account comes back only by its recovery code, or by a password that it had, on a device that has not heard of it.
        Type its email to delete it:
        """,
        invocation)
      let password = try secret.password()
      try await console.whileChecking { try await auth.delete(password: password) }
      try HiddenJokes(of: user.uid, in: database).remove()
      try console.print("The account is deleted. Others learn of it when they sync. What it posted stays.")
    default: throw invocation.usage("\"account \(words.joined(separator: " "))\" is not understood")
    }
  }
}

/// What is hard to undo is asked about.
enum Confirmation {
  /// - Throws: `invalidArgument` where nobody can be asked and --yes is not given, `refused` for another answer.
  static func require(_ answer: String, _ question: String, _ invocation: Invocation) throws(TreeError) {
    if invocation.arguments.has(.yes) { return }
    guard StandardInput.isTerminal else {
      throw TreeError(
        .invalidArgument, "this is not undone easily, and nobody can be asked: standard input is no terminal",
        advice: "Pass \(Option.yes.name) as well.")
    }
    invocation.console.report(question)
    guard readLine()?.utf8.elementsEqual(answer.utf8) == true else {
      throw TreeError(
        .refused, "the answer was not \"\(TerminalText.line(answer))\", and nothing was changed",
        advice: "Type it in full to go on.")
    }
  }
}

extension Option {
  static let yes = Option(name: "--yes", summary: "do not ask")
}
