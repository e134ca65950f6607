/// Where a step writes, and the newest void change of this device that wrote there and was dealt with: an older one is
/// not wanted there any more.
///
/// ```
/// "reissue at " ‖ H32(kind ‖ H32(path) ‖ voter)   milliseconds u64, big-endian ‖ counter u64, big-endian: its stamp
/// ```
enum ReissuePlace {
  /// Everything at and below a path.
  case value(PathKey)
  case vote(PathKey, voter: Key)
  case priority(PathKey)

  private static let prefix = Array("reissue at ".utf8)

  /// The places at and above a path whose values take the room of what is at it.
  static func values(over path: PathKey) -> [ReissuePlace] { ([path] + path.ancestors).map { .value($0) } }

  private var key: [UInt8] {
    let content: [UInt8] =
      switch self {
      case .value(let path): [0] + Sodium.hash32(path.bytes).bytes
      case .vote(let path, let voter): [1] + Sodium.hash32(path.bytes).bytes + voter.utf8
      case .priority(let path): [2] + Sodium.hash32(path.bytes).bytes
      }
    return ReissuePlace.prefix + Sodium.hash32(content).bytes
  }

  func newest(_ rows: borrowing StoreTransaction) throws(TreeError) -> Stamp? {
    guard let row = try rows.get(.meta, key) else { return nil }
    guard row.count == 16, let counter = UInt16(exactly: RowKey.number(row[8...])) else {
      throw TreeError(.damaged, "the stamp of what was done again is cut off", advice: Store.damageAdvice)
    }
    return Stamp(milliseconds: RowKey.number(row[..<8]), counter: counter)
  }

  func note(_ stamp: Stamp, _ rows: borrowing StoreTransaction) throws(TreeError) {
    if let newest = try newest(rows), newest >= stamp { return }
    try rows.put(.meta, key, RowKey.commit(stamp.milliseconds) + RowKey.commit(UInt64(stamp.counter)))
  }
}
