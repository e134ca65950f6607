/// The epoch keys that a device can work out: from the one that it came with, from what was sealed for it, and from
/// the lockboxes of rotations, which hold the keys of the epochs before.
package struct Keyring: Sendable {
  private(set) var keys: [EpochID: EpochKeys] = [:]
  private let space: SpaceID

  package init(first: EpochKeys) {
    space = first.space
    keys[first.id] = first
  }

  package subscript(id: EpochID) -> EpochKeys? { keys[id] }

  package var all: [EpochKeys] { keys.values.sorted { $0.id < $1.id } }

  /// Keys that are kept, at most: each takes locked memory.
  private static let limit = 4_096

  package mutating func add(_ new: EpochKeys) {
    if keys[new.id] == nil, keys.count < Keyring.limit { keys[new.id] = new }
  }

  /// Opens a lockbox whose key is known, and takes the keys of epochs that are asked for.
  ///
  /// - Returns: The other epochs in it whose keys are not here.
  @discardableResult
  package mutating func open(
    _ lockbox: ControlOperation.Lockbox, accepting isWanted: (EpochID) -> Bool
  ) -> [EpochID] {
    guard let own = keys[lockbox.epoch] else { return [] }
    let nonce = Array(lockbox.sealed.prefix(Sodium.nonceBytes))
    let sealed = lockbox.sealed.dropFirst(Sodium.nonceBytes)
    let additional = own.space.bytes + own.id.bytes
    guard nonce.count == Sodium.nonceBytes,
      var content = Sodium.open(sealed, nonce: nonce, additional: additional, own.lockbox)
    else { return [] }
    defer { Sodium.wipe(&content) }
    var others: [EpochID] = []
    for start in stride(from: 0, to: content.count - 47, by: 48) {
      let id = Bytes16(content[start..<start + 16])
      if keys[id] != nil { continue }
      guard isWanted(id) else {
        others.append(id)
        continue
      }
      var key = Array(content[start + 16..<start + 48])
      let found = EpochKeys(Secret(&key), space: own.space)
      if found.id == id { add(found) }
    }
    return others
  }

  /// The key of the time in which these epochs stand beside each other, which each removed device lacks a part of:
  /// H32("OT mix 1" ‖ space id ‖ sorted (epoch id ‖ key)). Nil if a part is missing.
  package func mix(_ epochs: [EpochID]) -> EpochKeys? {
    if epochs.count < 2 { return epochs.first.flatMap { keys[$0] } }
    var content = [UInt8](capacity: 40 + 48 * epochs.count)
    defer { Sodium.wipe(&content) }
    content += Array("OT mix 1".utf8) + space.bytes
    for epoch in epochs.sorted() {
      guard let part = keys[epoch] else { return nil }
      content += epoch.bytes
      content.append(part.key)
    }
    return EpochKeys(Sodium.secretHash32(content), space: space)
  }

  // MARK: Lockboxes

  /// Keys of other epochs, sealed under this one.
  package static func lockbox(
    _ others: [EpochKeys], under own: EpochKeys, nonce: [UInt8]
  ) -> ControlOperation.Lockbox {
    var content = [UInt8](capacity: 48 * others.count)
    defer { Sodium.wipe(&content) }
    for key in others.sorted(by: { $0.id < $1.id }) {
      content += key.id.bytes
      content.append(key.key)
    }
    let sealed = Sodium.seal(content, nonce: nonce, additional: own.space.bytes + own.id.bytes, own.lockbox)
    return ControlOperation.Lockbox(epoch: own.id, sealed: nonce + sealed)
  }
}
