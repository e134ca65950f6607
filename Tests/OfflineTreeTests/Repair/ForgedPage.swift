import OfflineTree

/// A page that looks like one of the database's own, with rows that no database wrote.
enum ForgedPage {
  typealias Row = (table: Table, key: [UInt8], value: [UInt8])

  static func bytes(_ rows: [Row]) -> [UInt8] {
    var (offsets, nodes) = ([UInt8](), [UInt8]())
    for (table, key, row) in rows {
      let sealed = [table.rawValue] + little(key.count, 2) + key + row
      let sum = unsafe sealed.withUnsafeBytes { unsafe Sodium.checksum($0) }
      let value = row + little(Int(UInt32(truncatingIfNeeded: sum)), 4)
      nodes = little(value.count, 4) + [0, 0] + little(key.count, 2) + key + value + nodes
      offsets += little(4_096 - nodes.count, 2)
    }
    let head = little(99, 8) + [0, 0, 2, 0] + little(16 + offsets.count, 2) + little(4_096 - nodes.count, 2)
    return head + offsets + [UInt8](repeating: 0, count: 4_096 - 16 - offsets.count - nodes.count) + nodes
  }

  static func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  static func big(_ number: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * (7 - $0))) } }

  static func varint(_ number: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.varint(number)
    return writer.bytes
  }
}
