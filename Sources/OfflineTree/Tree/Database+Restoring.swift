/// What a home is made of that is restored from a backup; its changes come in by `receive`, like any others.
extension Database {
  /// Makes a home that has no way into the space: it takes in what it is given, shows it, and writes nothing.
  package static func makeReadOnly(
    at path: String, space: SpaceID, deviceName: String, environment: Environment = .system,
    options: Options = Options()
  ) throws(TreeError) -> Database {
    var seeds = NewKeys(environment)
    return try make(path, space, &seeds, deviceName, environment, options) { _, _ throws(TreeError) in }
  }

  /// Makes a home for a device that exists, with its keys. It knows no log that it may go on with: its next write begins a
  /// new one, so that nothing gets a number that the device has used before.
  ///
  /// - Parameters:
  ///   - device: Whose keys they must be.
  ///   - keys: The path of the file.
  /// - Throws: `refused` for another device's keys, or if there is a home already.
  package static func makeAgain(
    at path: String, space: SpaceID, device: Bytes32, keys: String, deviceName: String,
    environment: Environment = .system, options: Options = Options()
  ) throws(TreeError) -> Database {
    try Sodium.requireSound()
    var seeds = try NewKeys(file: keys)
    guard seeds.keys(space).signingKey == device else {
      seeds.wipe()
      throw TreeError(
        .refused, "\(keys) holds the keys of another device than the one whose backup this is",
        advice: "Name the file of its own home, or restore with an invite.")
    }
    return try make(path, space, &seeds, deviceName, environment, options) { _, _ throws(TreeError) in }
  }

  /// The hashes of the images that are kept here, sorted.
  package func imageHashes() throws(TreeError) -> [Bytes32] {
    try view { rows, _ in
      try rows.withCursor(.blob) { (cursor) throws(TreeError) in
        var hashes: [Bytes32] = []
        var isFound = try cursor.first()
        while isFound {
          hashes.append(Bytes32(cursor.keyBytes))
          isFound = try cursor.next()
        }
        return hashes
      }
    }
  }

  /// The bytes of an image, or nil.
  package func image(_ hash: Bytes32) throws(TreeError) -> [UInt8]? {
    try view { rows, _ in try rows.get(.blob, hash.bytes) }
  }

  /// Keeps an image that was kept before.
  package func keepImage(_ bytes: [UInt8]) throws(TreeError) {
    try submit { rows, _ in try rows.put(.blob, Sodium.hash32(bytes).bytes, bytes) }
  }
}
