/// What a space is: fixed when it is made, hashed into its id, the same on every device for ever.
public struct Genesis: Hashable, Sendable {
  /// A path whose children can be added and never changed or removed.
  public struct AddOnlySet: Hashable, Sendable {
    public enum Keys: UInt8, Sendable {
      /// Any valid key: the lowest (stamp, log) of those that had not seen each other owns it.
      case open = 0
      /// Keys end in 72 bits that bind them to the device that made them.
      case own = 1
    }

    public let path: Path
    public let keys: Keys

    public init(path: Path, keys: Keys) {
      self.path = path
      self.keys = keys
    }
  }

  /// A view that is true at `template` while a voter's choice at `counter` is not 0.
  ///
  /// Both are paths in which `*` stands for any key; each `*` of the counter is used once in the template, in order,
  /// and `$voter` once, for the voter.
  public struct Flag: Hashable, Sendable {
    public let counter: String
    public let template: String

    public init(counter: String, template: String) {
      self.counter = counter
      self.template = template
    }
  }

  /// The signing key of the device that made the space.
  public let founder: Bytes32
  /// The public half of the owner-recovery key, whose code is printed once.
  public let recoveryKey: Bytes32
  /// May members invite others, or only owners?
  public let membersMayInvite: Bool
  /// A label for people; not unique.
  public let name: String
  public let addOnlySets: [AddOnlySet]
  public let flags: [Flag]
  /// The rules of the beginning, in version 1 of their language; empty for none.
  package let rules: [UInt8]
  /// Makes two spaces of one founder differ.
  public let nonce: Bytes32

  /// - Throws: `invalidArgument` or `limitExceeded` if the declarations contradict each other.
  package init(
    founder: Bytes32, recoveryKey: Bytes32, membersMayInvite: Bool = false, name: String, addOnlySets: [AddOnlySet],
    flags: [Flag], rules: [UInt8] = [], nonce: Bytes32
  ) throws(TreeError) {
    self.founder = founder
    self.recoveryKey = recoveryKey
    self.membersMayInvite = membersMayInvite
    self.name = name
    self.addOnlySets = addOnlySets
    self.flags = flags
    self.rules = rules
    self.nonce = nonce
    _ = try Declarations(addOnlySets: addOnlySets, flags: flags)
    if name.utf8.count > Limits.nameBytes {
      throw TreeError(
        .limitExceeded, "the name of the space is longer than \(Limits.nameBytes) bytes",
        advice: "Use a shorter name.")
    }
  }

  /// The space's id: BLAKE2b-256 of the record.
  public var spaceID: SpaceID { Sodium.hash32(encoded) }

  private static let version: UInt8 = 1
  private static let membersInviteFlag: UInt8 = 1
  private static let rulesVersion: UInt8 = 1

  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.u8(Genesis.version)
    writer.append(founder)
    writer.append(recoveryKey)
    writer.u8(membersMayInvite ? Genesis.membersInviteFlag : 0)
    writer.prefixed(name)
    writer.varint(addOnlySets.count)
    for set in addOnlySets {
      writer.u8(set.keys.rawValue)
      writer.prefixed(set.path.description)
    }
    writer.varint(flags.count)
    for flag in flags {
      writer.prefixed(flag.counter)
      writer.prefixed(flag.template)
    }
    writer.prefixed(rules.isEmpty ? [] : [Genesis.rulesVersion] + rules)
    writer.append(nonce)
    return writer.bytes
  }

  package init(decoding bytes: ArraySlice<UInt8>) throws(TreeError) {
    var reader = ByteReader(bytes)
    try Genesis.requireKnown(try reader.u8("genesis version") == Genesis.version)
    let founder = try reader.bytes32("founder's key")
    let recoveryKey = try reader.bytes32("recovery key")
    let policy = try reader.u8("policy")
    try Genesis.requireKnown(policy & ~Genesis.membersInviteFlag == 0)
    let name = try Genesis.text(&reader, limit: Limits.nameBytes)
    var sets: [AddOnlySet] = []
    for _ in 0..<(try reader.count("add-only sets", limit: Limits.declarations)) {
      guard let keys = AddOnlySet.Keys(rawValue: try reader.u8("kind of add-only set")) else {
        throw reader.damaged("kind of add-only set", "is unknown")
      }
      sets.append(AddOnlySet(path: try Path(try Genesis.text(&reader, limit: Limits.pathBytes)), keys: keys))
    }
    var flags: [Flag] = []
    for _ in 0..<(try reader.count("flags", limit: Limits.declarations)) {
      let counter = try Genesis.text(&reader, limit: Limits.pathBytes)
      flags.append(Flag(counter: counter, template: try Genesis.text(&reader, limit: Limits.pathBytes)))
    }
    let rules = try reader.prefixed("first rules", limit: 1 + Limits.rulesBytes)
    try Genesis.requireKnown(rules.isEmpty || rules.first == Genesis.rulesVersion)
    let nonce = try reader.bytes32("nonce")
    try reader.finish("genesis")
    try self.init(
      founder: founder, recoveryKey: recoveryKey,
      membersMayInvite: policy & Genesis.membersInviteFlag != 0, name: name, addOnlySets: sets, flags: flags,
      rules: Array(rules.dropFirst()), nonce: nonce)
    guard encoded.elementsEqual(bytes) else { throw TreeError(.damaged, "the genesis record is not canonical") }
  }

  private static func requireKnown(_ isKnown: Bool) throws(TreeError) {
    if isKnown { return }
    throw TreeError(.unsupportedVersion, "the space was made by another version", advice: "Update this program.")
  }

  private static func text(_ reader: inout ByteReader, limit: Int) throws(TreeError) -> String {
    guard let text = String(validating: try reader.prefixed("text", limit: limit), as: UTF8.self) else {
      throw reader.damaged("text", "is not valid UTF-8")
    }
    return text
  }
}
