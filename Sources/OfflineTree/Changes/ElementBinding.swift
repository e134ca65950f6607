/// What binds a key of an `own` add-only set to the device that made it (docs/format.md).
///
/// The key's last 12 characters are 72 bits of BLAKE2b(space ‖ device key ‖ the key's first 8 characters ‖ n); the
/// change that creates the element carries n.
package struct ElementBinding: Equatable, Sendable {
  package let element: PathKey
  /// 8 bytes.
  package let nonce: UInt64

  package init(element: PathKey, nonce: UInt64) {
    self.element = element
    self.nonce = nonce
  }

  /// The push id of `device` at that time: 8 characters of milliseconds, 12 that bind it.
  package static func key(space: SpaceID, device: Bytes32, milliseconds: Int64, nonce: UInt64) -> Key {
    let time = PushID.timeText(milliseconds)
    return PushID.key(
      milliseconds: milliseconds, chance: chance(space: space, device: device, time: time, nonce: nonce))
  }

  /// Does the nonce bind the element's key to the device?
  package func binds(to device: Bytes32, space: SpaceID) -> Bool {
    guard let key = element.lastKey, let time = PushID.milliseconds(of: key) else { return false }
    return ElementBinding.key(space: space, device: device, milliseconds: time, nonce: nonce) == key
  }

  private static func chance(space: SpaceID, device: Bytes32, time: [UInt8], nonce: UInt64) -> [UInt8] {
    var writer = ByteWriter(capacity: 80)
    writer.append(space)
    writer.append(device)
    writer.append(time)
    writer.u64(nonce)
    return Array(Sodium.hash32(writer.bytes).bytes[..<PushID.chanceBytes])
  }
}
