/// The bytes of control operations. `docs/format.md` describes them.
extension ControlOperation {
  package var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 64)
    switch self {
    case .invite(let terms):
      writer.append(terms.publicKey)
      writer.u8(Self.bearer)
      writer.u8(terms.role.rawValue)
      writer.varint(terms.uses)
      writer.varint(terms.notAfter)
    case .grant(let device, let role):
      writer.append(device)
      writer.u8(role.rawValue)
    case .end(let subject): subject.encode(to: &writer)
    case .rotate(let rotation):
      writer.append(rotation.epoch)
      writer.varint(rotation.parents.count)
      for parent in rotation.parents { writer.append(parent) }
      writer.prefixed(rotation.lockbox)
      Self.encode(rotation.boxes, to: &writer)
    case .rules(let text):
      writer.u8(Self.rulesVersion)
      writer.append(text)
    case .vouch(let user, let email):
      writer.append(Array(user.text.utf8))
      writer.append(Array(email.utf8))
    case .account(let new):
      new.account.encode(to: &writer)
      writer.append(new.random)
      writer.append(new.signature.bytes)
    case .rekey(let rekey):
      rekey.account.encode(to: &writer)
      writer.append(rekey.previous)
      writer.append(rekey.signer)
      writer.append(rekey.signature.bytes)
      writer.append(rekey.proof.bytes)
    case .session(let session):
      writer.append(Array(session.user.text.utf8))
      writer.append(session.publicKey)
      writer.append(session.random)
      writer.append(session.signature.bytes)
    case .moderate(let path, let isHidden):
      writer.u8(isHidden ? 1 : 0)
      writer.append(path.textBytes)
    case .retract(let path): writer.append(path.textBytes)
    case .deviceName(let name): writer.append(Array(name.utf8))
    case .recovery(let signature): writer.append(signature.bytes)
    case .deliver(let epoch, let boxes):
      writer.append(epoch)
      Self.encode(boxes, to: &writer)
    case .lockbox(let lockbox):
      writer.append(lockbox.epoch)
      writer.append(lockbox.sealed)
    case .keep(let keeps): writer.u8(keeps ? 1 : 0)
    case .attest(let attestation):
      writer.u8(Attestation.format)
      writer.append(attestation.checkpoint)
      writer.append(attestation.clockDigest)
    }
    return writer.bytes
  }

  private static let bearer: UInt8 = 0
  private static let rulesVersion: UInt8 = 1

  private static func encode(_ boxes: [SealedKey], to writer: inout ByteWriter) {
    writer.varint(boxes.count)
    for box in boxes {
      writer.append(box.device)
      writer.append(box.box)
    }
  }

  /// Nil for a kind, or a kind of subject, invite or role, that this version does not know.
  static func decode(
    kind: UInt8, _ reader: inout ByteReader, _ content: inout ContentReader
  ) throws(TreeError) -> ControlOperation? {
    switch kind {
    case 0x02:
      let key = try reader.bytes32("invite's key")
      guard try reader.u8("kind of invite") == bearer, let role = Role(rawValue: try reader.u8("role")) else {
        return nil
      }
      let uses = try reader.varint("uses")
      return .invite(InviteTerms(publicKey: key, role: role, uses: uses, notAfter: try reader.varint("not after")))
    case 0x04:
      let device = try reader.bytes32("device key")
      return Role(rawValue: try reader.u8("role")).map { .grant(device: device, $0) }
    case 0x05: return try Subject.decode(&reader, &content).map { .end($0) }
    case 0x06: return .rotate(try rotation(&reader))
    case 0x07...0x0F: return try decodeRule(kind: kind, &reader, &content)
    case 0x10:
      let bytes = reader.rest()
      guard let name = String(validating: bytes, as: UTF8.self) else {
        throw reader.damaged("device name", "is not valid UTF-8")
      }
      if bytes.isEmpty || bytes.count > Limits.nameBytes { content.note("a device name has \(bytes.count) bytes") }
      return .deviceName(name)
    case 0x11: return .recovery(Signature(try reader.bytes(Signature.byteCount, "recovery signature")))
    case 0x12:
      let epoch = try reader.bytes16("epoch")
      return .deliver(epoch, try boxes(&reader))
    case 0x13: return .lockbox(try lockbox(&reader))
    case 0x14:
      let mark = try reader.u8("whether history is kept")
      return mark > 1 ? nil : .keep(mark == 1)
    default: return nil
    }
  }

  /// What rules, people and their elements are about.
  private static func decodeRule(
    kind: UInt8, _ reader: inout ByteReader, _ content: inout ContentReader
  ) throws(TreeError) -> ControlOperation? {
    switch kind {
    case 0x07:
      guard try reader.u8("version of the rules") == rulesVersion else { return nil }
      if reader.remaining > Limits.rulesBytes { content.note("the rules have \(reader.remaining) bytes") }
      return .rules(Array(reader.rest()))
    case 0x08:
      let user = content.userID(try reader.bytes(Account.userIDLength, "user's id"))
      guard let email = String(validating: reader.rest(), as: UTF8.self) else {
        throw reader.damaged("email", "is not valid UTF-8")
      }
      if !Email.isNormal(email) { content.note("\"\(email)\" is no email in normal form") }
      return .vouch(user: user, email: email)
    case 0x0A:
      let account = try Account.decode(&reader, &content)
      let random = try reader.bytes16("account's random bytes")
      let signature = Signature(try reader.bytes(Signature.byteCount, "account's signature"))
      return .account(NewAccount(account, random: random, signature: signature))
    case 0x0B:
      let account = try Account.decode(&reader, &content)
      let (previous, signer) = (try reader.bytes32("key before"), try reader.bytes32("signing key"))
      let signature = Signature(try reader.bytes(Signature.byteCount, "signature"))
      let proof = Signature(try reader.bytes(Signature.byteCount, "new key's signature"))
      return .rekey(Rekey(account, previous: previous, signer: signer, signature: signature, proof: proof))
    case 0x0C:
      let user = content.userID(try reader.bytes(Account.userIDLength, "user's id"))
      let (key, random) = (try reader.bytes32("user's key"), try reader.bytes16("session's random bytes"))
      let signature = Signature(try reader.bytes(Signature.byteCount, "session's signature"))
      return .session(SessionGrant(user: user, publicKey: key, random: random, signature: signature))
    case 0x0D:
      guard try reader.u8("format of a checkpoint") == Attestation.format else { return nil }
      let checkpoint = try reader.bytes32("hash of a checkpoint")
      return .attest(Attestation(checkpoint: checkpoint, clockDigest: try reader.bytes32("digest of a clock")))
    case 0x0E:
      let mark = try reader.u8("moderation")
      return mark > 1 ? nil : .moderate(try content.path(reader.rest()), isHidden: mark == 1)
    case 0x0F: return .retract(try content.path(reader.rest()))
    default: return nil
    }
  }

  private static func rotation(_ reader: inout ByteReader) throws(TreeError) -> Rotation {
    let epoch = try reader.bytes16("epoch")
    var parents: [EpochID] = []
    for _ in 0..<(try reader.count("epochs before", limit: Limits.epochParents)) {
      let parent = try reader.bytes16("epoch before")
      if let last = parents.last, !(last < parent) { throw reader.damaged("epochs before", "are not sorted") }
      parents.append(parent)
    }
    if parents.isEmpty { throw reader.damaged("epochs before", "are none") }
    let lockbox = Array(try reader.prefixed("lockbox", limit: Lockbox.byteCount(keys: parents.count)))
    if lockbox.count != Lockbox.byteCount(keys: parents.count) {
      throw reader.damaged("lockbox", "does not hold a key for each epoch before")
    }
    return Rotation(epoch: epoch, parents: parents, lockbox: lockbox, boxes: try boxes(&reader))
  }

  private static func lockbox(_ reader: inout ByteReader) throws(TreeError) -> Lockbox {
    let epoch = try reader.bytes16("epoch")
    let sealed = Array(reader.rest())
    guard sealed.count >= Lockbox.byteCount(keys: 0), sealed.count <= Lockbox.byteCount(keys: Limits.lockboxKeys),
      (sealed.count - Lockbox.byteCount(keys: 0)).isMultiple(of: 48)
    else { throw reader.damaged("lockbox", "does not hold whole keys, or too many") }
    return Lockbox(epoch: epoch, sealed: sealed)
  }

  private static func boxes(_ reader: inout ByteReader) throws(TreeError) -> [SealedKey] {
    var boxes: [SealedKey] = []
    let count = try reader.count("sealed keys", limit: reader.remaining / (32 + SealedKey.boxBytes))
    boxes.reserveCapacity(count)
    for _ in 0..<count {
      let device = try reader.bytes32("device key")
      if let last = boxes.last, !(last.device < device) { throw reader.damaged("sealed keys", "are not sorted") }
      boxes.append(SealedKey(device: device, box: Array(try reader.bytes(SealedKey.boxBytes, "sealed key"))))
    }
    return boxes
  }
}

extension ControlOperation.Subject {
  fileprivate func encode(to writer: inout ByteWriter) {
    switch self {
    case .device(let key):
      writer.u8(1)
      writer.append(key)
    case .log(let id):
      writer.u8(2)
      writer.append(id)
    case .invite(let key):
      writer.u8(3)
      writer.append(key)
    case .role(let device):
      writer.u8(4)
      writer.append(device)
    case .session(let user, let id):
      writer.u8(5)
      writer.append(Array(user.text.utf8))
      writer.append(id)
    case .userKey(let user, let key):
      writer.u8(6)
      writer.append(Array(user.text.utf8))
      writer.append(key)
    }
  }

  fileprivate static func decode(
    _ reader: inout ByteReader, _ content: inout ContentReader
  ) throws(TreeError) -> ControlOperation.Subject? {
    switch try reader.u8("subject") {
    case 1: return .device(try reader.bytes32("device key"))
    case 2: return .log(try reader.bytes16("log"))
    case 3: return .invite(try reader.bytes32("invite's key"))
    case 4: return .role(try reader.bytes32("device key"))
    case 5:
      let user = content.userID(try reader.bytes(Account.userIDLength, "user's id"))
      return .session(user: user, try reader.bytes16("session"))
    case 6:
      let user = content.userID(try reader.bytes(Account.userIDLength, "user's id"))
      return .userKey(user: user, try reader.bytes32("user's key"))
    default: return nil
    }
  }
}
