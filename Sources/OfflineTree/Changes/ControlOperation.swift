/// One act of authority, or about a device: never dropped, and judged by what its author may do (docs/merge.md).
package enum ControlOperation: Equatable, Sendable {
  /// Whoever holds the secret half of the key may introduce a device with that role.
  case invite(InviteTerms)
  /// Gives a device a role.
  case grant(device: Bytes32, Role)
  /// What uses the subject and is not in the past of this is void.
  case end(Subject)
  /// From here on, what is made is sealed under a new key.
  case rotate(Rotation)
  /// From here on, these rules judge what is written: text in version 1 of the language (docs/rules.md).
  case rules([UInt8])
  /// An owner's word that the email belongs to the person.
  case vouch(user: Key, email: String)
  case account(NewAccount)
  case rekey(Rekey)
  case session(SessionGrant)
  /// An owner's word on whether an element of an add-only set is shown.
  case moderate(PathKey, isHidden: Bool)
  /// The author of an element takes it back: it is not shown any more.
  case retract(PathKey)
  /// What people call the author's device.
  case deviceName(String)
  /// The change's other control operations act with the authority of the owner-recovery key, whose signature this is.
  case recovery(Signature)
  /// The key of an epoch, for devices that a rotation did not know.
  case deliver(EpochID, [SealedKey])
  /// Keys of other epochs, sealed under the key of this one: how a newcomer gets at what was before.
  case lockbox(Lockbox)
  /// Does the author's device keep all history from its beginning from here on, or no longer?
  case keep(Bool)
  /// An owner's word that a checkpoint is the state at a clock.
  case attest(Attestation)

  package struct Attestation: Hashable, Sendable {
    /// The format of checkpoints.
    static let format: UInt8 = 1

    package let checkpoint: Bytes32
    /// Of the clock at which it was made.
    package let clockDigest: Bytes32

    package init(checkpoint: Bytes32, clockDigest: Bytes32) {
      (self.checkpoint, self.clockDigest) = (checkpoint, clockDigest)
    }
  }

  /// What can be ended.
  package enum Subject: Hashable, Sendable {
    case device(Bytes32)
    /// As introduced; its branches as well.
    case log(LogID)
    /// An invite, by its public key.
    case invite(Bytes32)
    /// The roles that a device was given before.
    case role(Bytes32)
    /// A user's log-in on a device, by its id.
    case session(user: Key, Bytes16)
    /// A state of an account, by its public key: the sessions that it signed, and what it could sign.
    case userKey(user: Key, Bytes32)
  }

  package struct InviteTerms: Hashable, Sendable {
    package let publicKey: Bytes32
    package let role: Role
    /// How many devices may come by it; 0 is any number. For people: what is offline cannot count.
    package let uses: UInt64
    /// Milliseconds since 1970 after which its minter's device ends it; 0 is never.
    package let notAfter: UInt64

    package init(publicKey: Bytes32, role: Role, uses: UInt64 = 0, notAfter: UInt64 = 0) {
      self.publicKey = publicKey
      self.role = role
      self.uses = uses
      self.notAfter = notAfter
    }
  }

  /// The key of an epoch that one device can open: `crypto_box_seal` of space id ‖ epoch id ‖ key.
  package struct SealedKey: Hashable, Sendable {
    package let device: Bytes32
    package let box: [UInt8]

    package static let boxBytes = 80 + Sodium.boxOverhead

    package init(device: Bytes32, box: [UInt8]) {
      self.device = device
      self.box = box
    }
  }

  /// Keys of epochs, sealed under that of another: nonce ‖ XChaCha20-Poly1305 of (epoch id ‖ key)….
  package struct Lockbox: Hashable, Sendable {
    package let epoch: EpochID
    package let sealed: [UInt8]

    package init(epoch: EpochID, sealed: [UInt8]) {
      self.epoch = epoch
      self.sealed = sealed
    }

    /// Bytes of a lockbox of so many keys.
    package static func byteCount(keys: Int) -> Int { Sodium.nonceBytes + 48 * keys + Sodium.tagBytes }
  }

  package struct Rotation: Hashable, Sendable {
    package let epoch: EpochID
    /// The epochs that this one follows, sorted.
    package let parents: [EpochID]
    /// The parents' keys, sealed under the new one: nonce ‖ sealed bytes.
    package let lockbox: [UInt8]
    /// Sorted by device; some may be for nobody, so that their number says less.
    package let boxes: [SealedKey]

    package init(epoch: EpochID, parents: [EpochID], lockbox: [UInt8], boxes: [SealedKey]) {
      self.epoch = epoch
      self.parents = parents
      self.lockbox = lockbox
      self.boxes = boxes
    }
  }

  /// Whom an act about a person is about; nil for acts of devices, and for what an author does to an element.
  package var person: Key? {
    switch self {
    case .account(let new): new.account.user
    case .rekey(let rekey): rekey.account.user
    case .session(let session): session.user
    case .end(.session(let user, _)), .end(.userKey(let user, _)): user
    case .invite, .grant, .end, .rotate, .rules, .vouch, .moderate, .retract, .deviceName, .recovery, .deliver,
      .lockbox, .keep, .attest:
      nil
    }
  }

  /// Acts about people and acts of devices are separate changes, and all of a change are about one person: so nothing
  /// that decides on devices ever rests on who is logged in.
  package static func personFault(_ operations: [ControlOperation], author: Key?) -> String? {
    // Nearly every change: nothing is made for it.
    if operations.isEmpty { return nil }
    let people = operations.compactMap(\.person) + [author].compactMap { $0 }
    let retracts = operations.contains { if case .retract = $0 { true } else { false } }
    if retracts, author == nil { return "it takes an element back and names nobody" }
    guard let person = people.first else { return nil }
    if people.contains(where: { $0 != person }) { return "it is about several people" }
    let isPersonal = operations.allSatisfy { operation in
      if case .retract = operation { return true }
      return operation.person != nil
    }
    return isPersonal ? nil : "it acts for a person and for a device"
  }

  /// The number of the kind in the format, which is also its place in normal form.
  package var kind: UInt8 {
    switch self {
    case .invite: 0x02
    case .grant: 0x04
    case .end: 0x05
    case .rotate: 0x06
    case .rules: 0x07
    case .vouch: 0x08
    case .account: 0x0A
    case .rekey: 0x0B
    case .session: 0x0C
    case .attest: 0x0D
    case .moderate: 0x0E
    case .retract: 0x0F
    case .deviceName: 0x10
    case .recovery: 0x11
    case .deliver: 0x12
    case .lockbox: 0x13
    case .keep: 0x14
    }
  }

  /// Kinds below are control operations.
  static let kinds: Range<UInt8> = 0x02..<0x20

  /// In normal form: by kind, then by their bytes, none twice; at most one recovery, one rotation, one document of rules
  /// and one word on keeping a change.
  package static func isNormal(_ operations: [ControlOperation]) -> Bool {
    for index in operations.indices.dropFirst() where !precedes(operations[index - 1], operations[index]) {
      return false
    }
    return operations.count { if case .recovery = $0 { true } else { false } } < 2
      && operations.count { if case .rotate = $0 { true } else { false } } < 2
      && operations.count { if case .rules = $0 { true } else { false } } < 2
      && operations.count { if case .keep = $0 { true } else { false } } < 2
  }

  /// The order of normal form.
  package static func precedes(_ left: ControlOperation, _ right: ControlOperation) -> Bool {
    if left.kind != right.kind { return left.kind < right.kind }
    return left.encoded.lexicographicallyPrecedes(right.encoded)
  }
}

extension [ControlOperation] {
  /// The same, in normal form.
  package var normalized: [ControlOperation] {
    var result: [ControlOperation] = []
    for operation in sorted(by: ControlOperation.precedes) where result.last != operation { result.append(operation) }
    return result
  }
}
