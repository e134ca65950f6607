internal import OfflineTree
internal import Replicator

/// Three devices, offline, then one feed.
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
      console.bold("Alice makes a space and an invite; Bob and Carol join by it, through a shared folder."))
    try TemporaryFolder.make("\(folder)/shared")
    let alice = DemoDevice(
      user: try Key("alice"),
      database: try Database.create(
        at: "\(folder)/alice", space: "demo", addOnlySets: JokesSpace.addOnlySets, flags: JokesSpace.flags,
        recovery: RecoveryCode(), deviceName: "alice's laptop"))
    let invite = try alice.database.invite()
    try alice.signUp()
    _ = try await alice.post("There are 10 kinds of people: those who know binary, and those who do not.")
    try await alice.exchange(at: carrier)
    var devices = [alice]
    for (name, machine) in [("bob", "bob's phone"), ("carol", "carol's tablet")] {
      let database = try Database.join(at: "\(folder)/\(name)", invite: invite, deviceName: machine)
      let device = DemoDevice(user: try Key(name), database: database)
      try await device.exchange(at: carrier)
      try device.signUp()
      devices.append(device)
    }
    return devices
  }

  private func apart(_ devices: [DemoDevice]) async throws {
    try console.print(
      console.bold("Apart: each posts a joke, and all three vote for Alice's, nobody seeing the others."))
    let first = try devices[0].database.read { try $0.keys(at: JokesSpace.jokes) }
    let texts = [
      "A SQL query walks into a bar, sees two tables and asks: may I join you?",
      "I would tell you a UDP joke, but you might not get it.",
      "Two hard things: cache invalidation, naming things, and off-by-one errors.",
    ]
    for (device, text) in zip(devices, texts) {
      _ = try await device.post(text)
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
    try console.print(console.bold("Carol meets them through the folder."))
    for device in [devices[1], devices[2], devices[0], devices[1]] { try await device.exchange(at: carrier) }
    try printCounts(devices)
  }

  private func printCounts(_ devices: [DemoDevice]) throws {
    for device in devices {
      let count = try device.database.read { try $0.keys(at: JokesSpace.jokes).count }
      try console.print("  \(device.user) sees \(count) jokes")
    }
  }

  private func show(_ devices: [DemoDevice]) throws {
    var states: Set<[String]> = []
    for device in devices {
      try console.print(console.bold("The feed of \(device.user)"))
      let feed = Feed(limit: 10, user: device.user)
      let (jokes, clock, hash) = try device.database.read { transaction in
        (try feed.jokes(in: transaction), try transaction.clock().digest, try transaction.stateHash())
      }
      for joke in jokes { try console.print(JokeText.block(joke, console)) }
      try console.print("  clock \(clock)\n  state \(hash)")
      states.insert([clock.description, hash.description])
    }
    guard states.count == 1 else {
      throw TreeError(
        .internal, "the three homes do not agree", advice: "Please report this, with what was printed above.")
    }
    try console.print(console.accent("Equal clocks, equal states: three homes, one feed."))
  }

  func sayWhereToGoOn(keeps: Bool) throws {
    try console.print(
      """

      Where to go on
        jokes-sync init && jokes-sync signup --username NAME   a space of your own
        jokes-sync invite                                      a line by which your other devices join
        jokes-sync remote add folder PATH && jokes-sync run    keep them in exchange
        jokes-sync --help                                      everything else; README.md tells the story
      """)
    if keeps { try console.print("  jokes-sync --home \(folder)/alice list                 the homes of this demo") }
  }
}
