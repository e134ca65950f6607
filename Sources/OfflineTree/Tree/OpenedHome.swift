/// What opening a home finds: whose it is, and whether it is a copy.
struct OpenedHome: Sendable {
  let space: SpaceID
  let device: Bytes32
  let deviceName: String
  let token: Bytes16
  let isCopy: Bool

  private static let guardKey = Array("guard".utf8)
  private static let nameKey = Array("device name".utf8)

  static func setName(_ name: String, _ rows: borrowing StoreTransaction) throws(TreeError) {
    try rows.put(.meta, nameKey, Array(name.utf8))
  }

  /// Compares the guard with the place where the home stands now.
  ///
  /// Another machine, file system or file, or a database older than the last commit that was heard of: this is a copy
  /// or an older state. Then the home gets a new token, and the next write begins a new log.
  static func check(
    _ state: inout Replica, machine: [UInt8], file: FileSystem.Identity, wake: UInt64, freshToken: Bytes16,
    _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> OpenedHome {
    let name = String(decoding: try rows.get(.meta, nameKey) ?? [], as: UTF8.self)
    var place = ByteWriter()
    place.append(Sodium.hash16(machine))
    place.u64(UInt64(truncatingIfNeeded: file.device))
    place.u64(UInt64(truncatingIfNeeded: file.inode))
    let stored = try rows.get(.meta, guardKey)
    let isOlder = wake >= rows.identifier
    if let stored, stored.count == 16 + place.count, Array(stored[16...]) == place.bytes, !isOlder {
      return OpenedHome(
        space: state.space, device: state.device, deviceName: name, token: Bytes16(stored[..<16]), isCopy: false)
    }
    try rows.put(.meta, guardKey, freshToken.bytes + place.bytes)
    let isCopy = stored != nil
    if isCopy {
      state.mustLeave = true
      state.metaChanged = true
      try state.flush(rows)
    }
    return OpenedHome(
      space: state.space, device: state.device, deviceName: name, token: freshToken, isCopy: isCopy)
  }
}
