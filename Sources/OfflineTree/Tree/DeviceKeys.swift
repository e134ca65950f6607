/// The secrets of one device in one space: what signs, what opens sealed keys, and the key with which it came.
///
/// In the file `device.key` of the home, mode 0600 (docs/format.md). No backup holds it.
final class DeviceKeys: Sendable {
  private let signing: SigningKey
  let boxKey: Bytes32
  private let boxSecret: Secret
  /// The epoch key of the invite by which the device came, or of the space's first epoch.
  let firstKey: EpochKeys

  static let fileName = "device.key"
  private static let magic = Array("OTDK".utf8)
  private static let version: UInt8 = 1
  private static let byteCount = 8 + 3 * 32 + 16

  init(
    signingSeed: borrowing Secret, boxSecret: consuming Secret, epochKey: consuming Secret, space: SpaceID
  ) {
    signing = SigningKey(seed: signingSeed)
    boxKey = Sodium.boxPublicKey(boxSecret)
    self.boxSecret = boxSecret
    firstKey = EpochKeys(epochKey, space: space)
  }

  /// The Ed25519 public key, by which the device is known.
  var signingKey: Bytes32 { signing.publicKey }

  /// Signs for the given purpose.
  func sign(_ message: [UInt8]) -> Signature { signing.sign(message) }

  /// Opens a box that was sealed for this device: the key of that epoch, or nil.
  func open(_ sealed: ControlOperation.SealedKey, of epoch: EpochID) -> EpochKeys? {
    let space = firstKey.space
    guard sealed.device == signingKey, var content = Sodium.openBox(sealed.box, boxKey, boxSecret) else { return nil }
    defer { Sodium.wipe(&content) }
    guard content.count == 80, content.starts(with: space.bytes + epoch.bytes) else { return nil }
    var key = Array(content[48...])
    let keys = EpochKeys(Secret(&key), space: space)
    return keys.id == epoch ? keys : nil
  }

  /// Seals the key of an epoch for a device; nil if its box key is none.
  static func seal(_ keys: EpochKeys, for device: Bytes32, _ boxKey: Bytes32) -> ControlOperation.SealedKey? {
    var content = [UInt8](capacity: 80)
    defer { Sodium.wipe(&content) }
    content += keys.space.bytes + keys.id.bytes
    content.append(keys.key)
    return Sodium.sealBox(content, to: boxKey).map { ControlOperation.SealedKey(device: device, box: $0) }
  }

  /// Writes the file; durable when it returns.
  func write(to home: String, signingSeed: borrowing Secret) throws(TreeError) {
    var content = [UInt8](capacity: Self.byteCount)
    defer { Sodium.wipe(&content) }
    content += Self.magic + [Self.version, 0, 0, 0]
    content.append(signingSeed)
    content.append(boxSecret)
    content.append(firstKey.key)
    content += Sodium.hash16(content).bytes
    try FileSystem.writeFileDurably("\(home)/\(Self.fileName)", content, mode: 0o600)
  }

  /// - Parameter identity: Whose keys they must be.
  static func read(
    from home: String, _ identity: (space: SpaceID, device: Bytes32)
  ) throws(TreeError) -> DeviceKeys {
    let keys = try read(from: home, space: identity.space)
    if keys.signingKey == identity.device { return keys }
    throw TreeError(
      .damaged, "\(home)/\(fileName) holds the keys of another device", advice: "Put this home's own file back.")
  }

  /// The keys that are there, whoever's they are.
  static func read(from home: String, space: SpaceID) throws(TreeError) -> DeviceKeys {
    let path = "\(home)/\(fileName)"
    var content: [UInt8]
    do {
      content = try FileSystem.readFile(path, maximumBytes: 4_096)
    } catch  where error.code == .notFound {
      throw TreeError(
        .notFound, "this device's keys (\(path)) are missing",
        advice: "Without them it cannot speak for itself: ask for an invite, and join with a new home.")
    }
    defer { Sodium.wipe(&content) }
    guard var parts = parts(of: content) else {
      throw TreeError(
        .damaged, "\(path) does not hold this device's keys",
        advice: "Put the file back from where it was, or join with a new home.")
    }
    return DeviceKeys(
      signingSeed: Secret(&parts.signing), boxSecret: Secret(&parts.box), epochKey: Secret(&parts.epoch), space: space)
  }

  /// The secrets in the file's bytes, which the caller wipes; nil for anything else.
  static func parts(of content: [UInt8]) -> (signing: [UInt8], box: [UInt8], epoch: [UInt8])? {
    var body = Array(content.dropLast(16))
    defer { Sodium.wipe(&body) }
    guard content.count == byteCount, content.starts(with: magic), content[4] == version,
      Sodium.hash16(body) == Bytes16(content.suffix(16))
    else { return nil }
    return (Array(content[8..<40]), Array(content[40..<72]), Array(content[72..<104]))
  }
}
