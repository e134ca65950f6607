/// How much history is to stay.
extension Replica {
  /// What was set, or what a device of its rank does.
  func retention(_ rows: borrowing StoreTransaction) throws(TreeError) -> HistoryRetention {
    if let bytes = try rows.get(.meta, MetaKey.retention) { return try HistoryRetention(decoding: bytes) }
    return authority.rank(of: device) >= .owner ? .all : .days(HistoryRetention.usualDays)
  }
}

extension Replica {
  /// Who has promised to keep all history, for people.
  var keepers: [HistoryStatus.Keeper] {
    authority.keepers.map { HistoryStatus.Keeper(deviceKey: $0, deviceName: authority.name(of: $0)) }
  }
}

extension HistoryRetention {
  static let usualDays = 30

  var encoded: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .all: writer.u8(0)
    case .days(let days):
      writer.u8(1)
      writer.varint(days)
    case .little: writer.u8(2)
    }
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(TreeError) {
    var reader = ByteReader(bytes)
    switch try reader.u8("retention") {
    case 0: self = .all
    case 1: self = .days(try reader.count("days", limit: Limits.historyDays))
    case 2: self = .little
    case let other: throw TreeError(.damaged, "a retention of kind \(other) is none")
    }
  }
}
