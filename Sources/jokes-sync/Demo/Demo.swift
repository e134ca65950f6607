internal import OfflineTree
internal import Replicator

/// Three devices of two people, offline, then one feed.
struct Demo {
  let folder: String
  let console: Console

  func run() async throws {
    let devices = try await meetFirst()
    defer { for device in devices { device.database.close() } }
    try await apart(devices)
    try await overTCP(devices[0], devices[1])
    try await throughFolder(devices)
    try show(devices)
  }

  private var carrier: RemoteAddress { .folder(path: "\(folder)/shared") }

  /// A space, and two newcomers who learn of it through the folder.
  private func meetFirst() async throws -> [DemoDevice] {
    try console.print(
      console.bold(
        "Alice's laptop makes a space and an invite; her tablet and Bob's phone join by it, through a folder."))
    try TemporaryFolder.make("\(folder)/shared")
    let alice = DemoDevice(
      database: try Database.create(
        at: "\(folder)/laptop", space: "demo", addOnlySets: JokesSpace.addOnlySets, flags: JokesSpace.flags,
        rules: JokesSpace.rules, recovery: RecoveryCode(), deviceName: "Alice's laptop"))
    let invite = try alice.database.invite()
    let password = try DemoPassword.random()
    try await signUp("alice", password, on: alice)
    try await alice.post("There are 10 kinds of people: those who know binary, and those who do not.")
    try await alice.exchange(at: carrier)
    let bob = try await join(invite, "phone", "Bob's phone")
    try await signUp("bob", try DemoPassword.random(), on: bob)
    let tablet = try await join(invite, "tablet", "Alice's tablet")
    try await Auth(tablet.database).signIn(withEmail: "alice@example.org", password: password)
    try console.print("  Alice logs in on her tablet, by the email and password that she chose on the laptop")
    return [alice, bob, tablet]
  }

  private func join(_ invite: Invite, _ home: String, _ name: String) async throws -> DemoDevice {
    let device = DemoDevice(
      database: try Database.join(at: "\(folder)/\(home)", invite: invite, deviceName: name))
    try await device.exchange(at: carrier)
    return device
  }

  private func signUp(_ name: String, _ password: Password, on device: DemoDevice) async throws {
    let made = try await Auth(device.database).createUser(
      withEmail: "\(name)@example.org", password: password, username: name)
    try console.print("  \(name) signs up on \(device.name): uid \(made.user.uid)")
  }

  private func apart(_ devices: [DemoDevice]) async throws {
    try console.print(
      console.bold(
        "Apart: each device posts a joke, and all three vote for Alice's first, seeing nothing of the others."))
    let first = try devices[0].database.read { try $0.keys(at: JokesSpace.jokes) }
    let texts = [
      "A SQL query walks into a bar, sees two tables and asks: may I join you?",
      "I would tell you a UDP joke, but you might not get it.",
      "Two hard things: cache invalidation, naming things, and off-by-one errors.",
    ]
    for (device, text) in zip(devices, texts) {
      try await device.post(text)
      for id in first { try await device.vote(for: id) }
    }
    try printCounts(devices)
  }

  private func overTCP(_ listener: DemoDevice, _ dialler: DemoDevice) async throws {
    try console.print(console.bold("Alice and Bob meet over TCP."))
    try await listener.listening { port in try await dialler.exchange(at: .tcp(host: "127.0.0.1", port: port)) }
    try printCounts([listener, dialler])
  }

  private func throughFolder(_ devices: [DemoDevice]) async throws {
    try console.print(console.bold("Alice's tablet meets them through the folder."))
    for device in [devices[1], devices[2], devices[0], devices[1]] { try await device.exchange(at: carrier) }
    try printCounts(devices)
  }

  private func printCounts(_ devices: [DemoDevice]) throws {
    for device in devices {
      let count = try device.database.read { try $0.keys(at: JokesSpace.jokes).count }
      try console.print("  \(device.name) sees \(count) jokes")
    }
  }

  private func show(_ devices: [DemoDevice]) throws {
    var states: Set<[String]> = []
    for device in devices {
      try console.print(console.bold("The feed of \(device.name)"))
      let (feed, viewer) = (Feed(limit: 10), try Viewer(of: device.database))
      let (jokes, clock, hash) = try device.database.read { transaction in
        (try feed.jokes(for: viewer, in: transaction), try transaction.clock().digest, try transaction.stateHash())
      }
      for joke in jokes { try console.print(JokeText.block(joke, console)) }
      try console.print("  clock \(clock)\n  state \(hash)")
      states.insert([clock.description, hash.description])
    }
    guard states.count == 1 else {
      throw TreeError(
        .internal, "the three homes do not agree", advice: "Please report this, with what was printed above.")
    }
    try console.print(console.accent("Equal clocks, equal states: three homes, one feed. Alice's two votes are one."))
  }

  func sayWhereToGoOn(keeps: Bool) throws {
    try console.print(
      """

      Where to go on
        jokes-sync init                                       a space of your own
        jokes-sync signup --email EMAIL --username NAME       an account in it; "login" on your other devices
        jokes-sync invite                                     a line by which other devices join
        jokes-sync remote add folder PATH && jokes-sync run   keep them in exchange
        jokes-sync --help                                     everything else; README.md tells the story
      """)
    if keeps { try console.print("  jokes-sync --home \(folder)/laptop list                the homes of this demo") }
  }
}

private enum DemoPassword {
  /// Nobody needs to know it.
  static func random() throws(TreeError) -> Password {
    var text = Array(hexadecimal(Environment.system.randomBytes(16)).utf8)
    return try Password(&text)
  }
}
