/// Rows to store in one transaction, in key order, their bytes in one buffer.
struct RowChunk {
  struct Row {
    /// The place of the table in `Table.allCases`.
    let table: Int
    let isDeleted: Bool
    /// Was there another value before?
    let isOverwrite: Bool
    /// Where the key is in `bytes`; the value follows it.
    let start: Int
    let keyCount: Int
    let valueCount: Int
  }

  private(set) var rows: [Row] = []
  private(set) var bytes: [UInt8] = []

  var isEmpty: Bool { rows.isEmpty }

  mutating func add(
    _ table: Int, key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?, isOverwrite: Bool
  ) {
    unsafe rows.append(
      Row(
        table: table, isDeleted: value == nil, isOverwrite: isOverwrite, start: bytes.count, keyCount: key.count,
        valueCount: value?.count ?? 0))
    unsafe bytes.append(contentsOf: key)
    if let value = unsafe value { unsafe bytes.append(contentsOf: value) }
  }

  /// The same rows over `count` transactions: new ones and deletions shared out, overwritten ones in each of them, as
  /// rows that every commit writes are.
  func split(into count: Int) -> [RowChunk] {
    if count == 1 { return [self] }
    let single = rows.count { !$0.isOverwrite }
    return (0..<count).map { index in
      let share = index * single / count..<(index + 1) * single / count
      var chunk = RowChunk()
      chunk.bytes = bytes
      var number = 0
      for row in rows {
        if row.isOverwrite {
          chunk.rows.append(row)
        } else {
          if share.contains(number) { chunk.rows.append(row) }
          number += 1
        }
      }
      return chunk
    }
  }
}
