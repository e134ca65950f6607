extension Database {
  /// Makes a new space, founded by this device.
  ///
  /// - Parameters:
  ///   - path: The folder of the home; it is made, with access for its owner alone.
  ///   - name: What people call the space.
  ///   - addOnlySets: Paths whose children can be added and never changed; fixed for ever.
  ///   - flags: Views of votes; fixed for ever.
  ///   - rules: Who may write what (docs/rules.md), until an owner sets others; without any, every member may.
  /// - Throws: `refused` if there is a home already.
  /// - Parameters:
  ///   - membersMayInvite: May every member invite others, or only owners?
  ///   - recovery: Its code makes a device an owner when the owners' devices are lost; show it to a person before it goes.
  public static func create(
    at path: String, space name: String, addOnlySets: [Genesis.AddOnlySet] = [], flags: [Genesis.Flag] = [],
    rules: String = "", membersMayInvite: Bool = false, recovery: RecoveryCode, deviceName: String,
    environment: Environment = .system, options: Options = Options()
  ) throws(TreeError) -> Database {
    if !rules.isEmpty { _ = try Rules(Array(rules.utf8)) }
    var seeds = NewKeys(environment)
    let genesis = try Genesis(
      founder: SigningKey(seed: seeds.signingSeed).publicKey, recoveryKey: recovery.publicKey,
      membersMayInvite: membersMayInvite, name: name, addOnlySets: addOnlySets, flags: flags,
      rules: Array(rules.utf8), nonce: Bytes32(environment.randomBytes(32)))
    let time = environment.wallClock()
    let stamp = Stamp(milliseconds: min(UInt64(clamping: time), Limits.genesisStamp - 1), counter: 0)
    return try make(path, genesis.spaceID, &seeds, deviceName, environment, options) { state, rows throws(TreeError) in
      _ = try state.introduce(
        random: .zero, deviceName: deviceName, standing: .genesis(genesis), wallTime: time, stamp: stamp, rows)
    }
  }

  /// Makes a device of an existing space. It knows nothing until it syncs, and until then writes are refused; what it
  /// learns first makes it introduce itself.
  public static func join(
    at path: String, invite: Invite, deviceName: String, environment: Environment = .system,
    options: Options = Options()
  ) throws(TreeError) -> Database {
    try join(
      at: path, invite: invite, deviceName: deviceName, logRandom: { _ in Bytes16(environment.randomBytes(16)) },
      environment: environment, options: options)
  }

  /// The same, with random bytes of the caller's choice in the id of its log.
  ///
  /// - Parameter logRandom: From the device's key to those bytes.
  package static func join(
    at path: String, invite: Invite, deviceName: String, logRandom: (Bytes32) -> Bytes16,
    environment: Environment = .system, options: Options = Options()
  ) throws(TreeError) -> Database {
    var seeds = NewKeys(environment)
    seeds.epoch = invite.epochKey.copyBytes()
    let keys = seeds.keys(invite.spaceID)
    let random = logRandom(keys.signingKey)
    let message = Introduction.joinMessage(
      space: invite.spaceID, deviceKey: keys.signingKey, boxKey: keys.boxKey, random: random)
    let claim = Introduction(
      random: random, deviceKey: keys.signingKey, boxKey: keys.boxKey, deviceName: deviceName,
      standing: .join(invite: invite.publicKey, invite.sign(message)))
    return try make(path, invite.spaceID, &seeds, deviceName, environment, options) { _, rows throws(TreeError) in
      try rows.put(.meta, Replica.MetaKey.claim, claim.encoded)
    }
  }

  /// Opens a home that `create` or `join` has made.
  /// - Throws: `notFound` if there is none, `damaged` if its database is.
  public static func open(
    at path: String, environment: Environment = .system, options: Options = Options()
  ) throws(TreeError) -> Database {
    try Sodium.requireSound()
    return try Database(try Home(existing: path), environment, options)
  }

  /// The secrets of a device that is being made; wiped when they are written.
  struct NewKeys {
    var signing: [UInt8]
    var box: [UInt8]
    var epoch: [UInt8]

    init(_ environment: Environment) {
      signing = environment.randomBytes(32)
      box = environment.randomBytes(32)
      epoch = environment.randomBytes(32)
    }

    /// Those that the file of a device holds.
    init(file path: String) throws(TreeError) {
      var content = try FileSystem.readFile(path, maximumBytes: 4_096)
      defer { Sodium.wipe(&content) }
      guard let parts = DeviceKeys.parts(of: content) else {
        throw TreeError(
          .invalidArgument, "\(path) does not hold a device's keys",
          advice: "It is the file \(DeviceKeys.fileName) of that device's home.")
      }
      (signing, box, epoch) = parts
    }

    var signingSeed: Secret { Secret(copying: signing) }

    func keys(_ space: SpaceID) -> DeviceKeys {
      DeviceKeys(
        signingSeed: signingSeed, boxSecret: Secret(copying: box), epochKey: Secret(copying: epoch), space: space)
    }

    mutating func wipe() {
      Sodium.wipe(&signing)
      Sodium.wipe(&box)
      Sodium.wipe(&epoch)
    }
  }

  static func make(
    _ path: String, _ space: SpaceID, _ seeds: inout NewKeys, _ deviceName: String, _ environment: Environment,
    _ options: Options, first: (inout Replica, borrowing StoreTransaction) throws(TreeError) -> Void
  ) throws(TreeError) -> Database {
    defer { seeds.wipe() }
    try Sodium.requireSound()
    try requireName(deviceName)
    let home = try Home(creating: path)
    let store = try home.openStore(options.store)
    let keys = seeds.keys(space)
    // The keys before the database: a home with an identity has its keys.
    do {
      try store.write { rows in
        if try rows.get(.meta, Replica.MetaKey.identity) != nil {
          throw TreeError(.refused, "\(path) is the home of a space already", advice: "Choose another folder.")
        }
        try keys.write(to: path, signingSeed: seeds.signingSeed)
        try Replica.initialize(space: space, device: keys.signingKey, rows)
        try OpenedHome.setName(deviceName, rows)
        var state = try Replica.load(rows, keys: keys)
        try first(&state, rows)
        try state.flush(rows)
        try state.finishCommit(rows)
      }
    } catch let error as TreeError {
      throw error
    } catch {
      throw TreeError(.internal, "cannot make the home \(path)", underlying: "\(error)")
    }
    return try Database(home, environment, options)
  }

  static func requireName(_ name: String) throws(TreeError) {
    if name.isEmpty || name.utf8.count > Limits.nameBytes {
      throw TreeError(
        .invalidArgument, "a device's name has 1 to \(Limits.nameBytes) bytes, and this one \(name.utf8.count)",
        advice: "Choose another name.")
    }
    if name.unicodeScalars.contains(where: Username.isControl) {
      throw TreeError(
        .invalidArgument, "a device's name holds a control character", advice: "Leave it out, or choose another name.")
    }
  }

  /// Runs `body` on the writer's thread, and turns what it throws into what it declares.
  func submit<R: Sendable>(
    _ body: @escaping @Sendable (borrowing StoreTransaction, inout Replica) throws -> R
  ) throws(TreeError) -> R {
    do {
      return try queue.submit(body)
    } catch let error as TreeError {
      throw error
    } catch {
      throw TreeError(.internal, "a write failed", underlying: "\(error)")
    }
  }
}
