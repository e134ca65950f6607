internal import OfflineTree

extension Command {
  private static let username = Option(
    name: "--username", value: "NAME", summary: "what others see beside your jokes; two people may have one")
  private static let image = Option(
    name: "--image", value: "FILE", summary: "a PNG, JPEG, GIF or WebP of at most 5 MiB, for your profile")

  static let signUp = Command(
    name: "signup", usage: "--email EMAIL --username NAME [--image FILE]",
    summary: "make an account, and log in with it on this device",
    details: """
      Asks for a password, twice and unseen. The same email and password log in on every device of the space that has synced,
      with no network. Members of the space can guess at the password for ever: take four words at random, or let a program choose.
      The recovery code is standard output's one line, shown once and kept nowhere: "jokes-sync recover" sets a new password by it.
      """,
    options: [.email, username, image, .passwordFile], operands: 0...0,
    example: "jokes-sync signup --email alice@example.org --username alice"
  ) { invocation in
    let (arguments, console) = (invocation.arguments, invocation.console)
    guard let given = arguments.value(of: Option.email.name), let name = arguments.value(of: username.name) else {
      let missing = [Option.email, username].map(\.name).filter { !arguments.has($0) }
      throw invocation.usage("\(missing.joined(separator: " and ")) \(missing.count == 1 ? "is" : "are") missing")
    }
    // What is wrong is told before anybody thinks of a password.
    let email = try Email.normalized(given)
    try UserName.require(name)
    let picture = try arguments.value(of: image.name).map(imageBytes)
    let database = try invocation.openDatabase()
    defer { database.close() }
    try database.requireWriter()
    let auth = Auth(database)
    let before = try auth.currentUser
    let password = try SecretInput("Password", .passwordFile, invocation).newPassword()
    let made = try await console.whileChecking {
      try await auth.createUser(withEmail: email, password: password, username: name, profileImage: picture)
    }
    if let problem = made.logOutProblem {
      console.report(problem)
    } else if let before {
      console.report("\(UserText.name(before)) is logged out on this device.")
    }
    console.report(
      """
      Signed up and logged in as \(UserText.name(made.user)), \(TerminalText.line(made.user.email)), uid \(made.user.uid).
      Your recovery code follows: shown this once, kept nowhere. Write it on paper now.
      """)
    try console.print(made.recoveryCode.text)
    console.report(
      """
      Should you forget the password, "\(Program.name) recover" asks for the code, on any device of the space.
      Next: \(Program.name) sync, so that others hear of you; then \(Program.name) login on your other devices.
      """)
  }

  private static func imageBytes(_ path: String) throws(TreeError) -> [UInt8] {
    do throws(TreeError) {
      let bytes = try FileSystem.readFile(absolutePath(path), maximumBytes: ImageHeader.byteLimit)
      _ = try ImageHeader(bytes)
      return bytes
    } catch  where error.code == .limitExceeded {
      throw TreeError(error.code, error.context, advice: "Save the image smaller.")
    }
  }
}
