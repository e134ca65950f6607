import OfflineTree

/// LMDB's data file with pages of 1,024 bytes, as far as a search for records looks at it.
enum SalvagePages {
  struct Row {
    let table: UInt8
    let key: [UInt8]
    let value: [UInt8]
  }

  private static let pageBytes = 1_024

  /// Two heads; the newer one leads to the page `root` for its tables, or nowhere.
  static func heads(root: UInt64?) -> [UInt8] {
    [1, 2].flatMap { transaction in
      let tree = { (root: UInt64?) in
        [UInt8](repeating: 0, count: 40) + littleEndian(root ?? .max, 8)
      }
      let free = littleEndian(UInt64(pageBytes), 4) + tree(nil).dropFirst(4)
      let start = littleEndian(UInt64(transaction - 1), 8) + [0, 0, 8, 0, 0, 0, 0, 0]
      let head = start + littleEndian(0xBEEF_C0DE, 4) + littleEndian(1, 4) + [UInt8](repeating: 0, count: 16)
      let tables = tree(root)
      let last = littleEndian(16, 8) + littleEndian(UInt64(transaction), 8)
      let bytes = head + free + tables + last
      return bytes + [UInt8](repeating: 0, count: pageBytes - bytes.count)
    }
  }

  /// A leaf with rows whose checksums fit: those that there is room for, in pages of their own each.
  static func page(_ rows: [Row]) -> [UInt8] {
    rows.flatMap { row -> [UInt8] in
      let sealed = [row.table] + littleEndian(UInt64(row.key.count), 2) + row.key + row.value
      let sum = unsafe sealed.withUnsafeBytes { unsafe Sodium.checksum($0) }
      let value = row.value + littleEndian(UInt64(truncatingIfNeeded: sum) & 0xFFFF_FFFF, 4)
      let node =
        littleEndian(UInt64(value.count), 4) + [0, 0] + littleEndian(UInt64(row.key.count), 2) + row.key + value
      guard node.count <= pageBytes - 18 else { return [] }
      let upper = pageBytes - node.count
      let head = littleEndian(2, 8) + [0, 0, 2, 0] + littleEndian(18, 2) + littleEndian(UInt64(upper), 2)
      return head + littleEndian(UInt64(upper), 2) + [UInt8](repeating: 0, count: upper - 18) + node
    }
  }

  /// Rows as an input gives them: table, lengths of key and value, those.
  static func rows(in bytes: [UInt8]) -> [Row] {
    var (rows, rest): ([Row], _) = ([], bytes[...])
    while rest.count >= 4, rows.count < 64 {
      let (table, keyBytes) = (rest.removeFirst(), Int(rest.removeFirst()))
      let valueBytes = Int(rest.removeFirst()) | Int(rest.removeFirst()) << 8
      let key = Array(rest.prefix(keyBytes))
      rest = rest.dropFirst(keyBytes)
      rows.append(Row(table: table, key: key, value: Array(rest.prefix(valueBytes))))
      rest = rest.dropFirst(valueBytes)
    }
    return rows
  }

  static func encode(_ rows: [Row]) -> [UInt8] {
    rows.flatMap { row in
      let lengths = [UInt8(truncatingIfNeeded: row.key.count)] + littleEndian(UInt64(row.value.count), 2)
      return [row.table] + lengths + row.key + row.value
    }
  }
}
