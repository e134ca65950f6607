extension Database {
  /// Makes a new space, founded by this device.
  ///
  /// - Parameters:
  ///   - path: The folder of the home; it is made, with access for its owner alone.
  ///   - name: What people call the space.
  ///   - addOnlySets: Paths whose children can be added and never changed; fixed for ever.
  ///   - flags: Views of votes; fixed for ever.
  /// - Throws: `refused` if there is a home already.
  /// - Parameters:
  ///   - membersMayInvite: May every member invite others, or only owners?
  ///   - recovery: Its code makes a device an owner when the owners' devices are lost; show it to a person before it goes.
  public static func create(
    at path: String, space name: String, addOnlySets: [Genesis.AddOnlySet] = [], flags: [Genesis.Flag] = [],
    membersMayInvite: Bool = false, recovery: RecoveryCode, deviceName: String, environment: Environment = .system,
    options: Options = Options()
  ) throws(TreeError) -> Database {
    var seeds = NewKeys(environment)
    // The epoch's id depends on the space's, which depends on it: the first key names its epoch without a space.
    let first = Bytes16(Sodium.hash32(seeds.epoch).bytes)
    let genesis = try Genesis(
      founder: Sodium.signingKeyPair(seed: seeds.signing).publicKey, recoveryKey: recovery.publicKey, firstEpoch: first,
      membersMayInvite: membersMayInvite, name: name, addOnlySets: addOnlySets, flags: flags,
      nonce: Bytes32(environment.randomBytes(32)))
    let time = environment.wallClock()
    let stamp = Stamp(milliseconds: min(UInt64(clamping: time), Limits.genesisStamp - 1), counter: 0)
    return try make(path, genesis.spaceID, &seeds, deviceName, environment, options) { state, rows throws(TreeError) in
      _ = try state.introduce(
        random: .zero, deviceName: deviceName, standing: .genesis(genesis), wallTime: time, stamp: stamp, rows)
    }
  }

  /// Opens a home that `create` or `join` has made.
  /// - Throws: `notFound` if there is none, `damaged` if its database is.
  public static func open(
    at path: String, environment: Environment = .system, options: Options = Options()
  ) throws(TreeError) -> Database {
    try Database(try Home(existing: path), environment, options)
  }

  private static let keyFile = "device.key"

  private static func make(
    _ path: String, _ space: SpaceID, _ key: (publicKey: Bytes32, secretKey: [UInt8]), _ deviceName: String,
    _ environment: Environment, _ options: Options,
    first: (inout Replica, borrowing StoreTransaction) throws(TreeError) -> Void
  ) throws(TreeError) -> Database {
    if deviceName.isEmpty || deviceName.utf8.count > Limits.nameBytes {
      throw TreeError(.invalidArgument, "a device's name has 1 to \(Limits.nameBytes) bytes")
    }
    let home = try Home(creating: path)
    let store = try home.openStore(options.store)
    // The key before the database: a home with an identity has its key.
    do {
      try store.write { rows in
        if try rows.get(.meta, Replica.MetaKey.identity) != nil {
          throw TreeError(.refused, "\(path) is the home of a space already", advice: "Choose another folder.")
        }
        try FileSystem.writeFileDurably("\(path)/\(keyFile)", key.secretKey, mode: 0o600)
        try Replica.initialize(space: space, device: key.publicKey, rows)
        try OpenedHome.setName(deviceName, rows)
        var state = try Replica.load(rows)
        try first(&state, rows)
        try state.flush(rows)
      }
    } catch let error as TreeError {
      throw error
    } catch {
      throw TreeError(.internal, "cannot make the home \(path)", underlying: "\(error)")
    }
    return try Database(home, environment, options)
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
