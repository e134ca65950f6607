/// Stored files: a register by name each, in the table `file`, newest first. What they hold is in chunks.
extension Replica {
  /// What is live of a file: the first shows, the others are conflicts.
  func files(_ name: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) -> [FileItem] {
    guard let row = try PathTable.file.get(name.bytes, in: rows) else { return [] }
    return try FileItem.decode(row)
  }

  /// Removes what the change had seen of a file, and adds what it is now, if anything.
  mutating func setFile(
    _ name: FileName, _ content: FileContent?, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    let before = try files(name.key, rows)
    var after = before.filter { !acting.sees($0) }
    if let content {
      let item = FileItem(stamp: acting.stamp, dot: acting.dot, content: content)
      after.insert(item, at: after.firstIndex { isNewer(item, than: $0) } ?? after.count)
    }
    for item in before where !after.contains(item) {
      hash.remove(.file(name.key, item, log: logs[item.dot.log].id))
    }
    for item in after where !before.contains(item) {
      hash.add(.file(name.key, item, log: logs[item.dot.log].id))
    }
    if after.isEmpty {
      try PathTable.file.delete(name.key.bytes, in: rows)
    } else {
      try PathTable.file.put(name.key.bytes, FileItem.encode(after), in: rows)
    }
    try Replica.countFileChange(rows)
  }

  /// Raised by each change of what is live of files: who works with a list of them sees whether it still holds.
  static func fileChanges(_ rows: borrowing StoreTransaction) throws(TreeError) -> UInt64 {
    guard let row = try rows.get(.mark, ChunkMark.changes) else { return 0 }
    var reader = ByteReader(row)
    return try reader.varint("count of changes of files")
  }

  static func countFileChange(_ rows: borrowing StoreTransaction) throws(TreeError) {
    var writer = ByteWriter()
    writer.varint(try fileChanges(rows) + 1)
    try rows.put(.mark, ChunkMark.changes, writer.bytes)
  }
}

/// Keys of the table `mark`: what this device knows of chunks and files, and nobody else needs.
///
/// ```
/// 01 ‖ id    time u64: a collection found then that no file needs the chunk
/// 02 ‖ id    empty: the manifest and all its chunks are here
/// 03 ‖ id    time u64: somebody wants what the manifest lists
/// 04         varint, raised by each change of what is live of files
/// 05         which files are fetched without being asked for
/// ```
package enum ChunkMark {
  package static func loose(_ id: Bytes32) -> [UInt8] { [1] + id.bytes }
  package static let completePrefix: [UInt8] = [2]
  package static func complete(_ id: Bytes32) -> [UInt8] { completePrefix + id.bytes }
  package static let wantedPrefix: [UInt8] = [3]
  package static func wanted(_ id: Bytes32) -> [UInt8] { [3] + id.bytes }
  static let changes: [UInt8] = [4]
  package static let fetching: [UInt8] = [5]
}

extension FileItem {
  static func encode(_ items: [FileItem]) -> [UInt8] {
    var writer = ByteWriter()
    for item in items {
      item.stamp.encode(to: &writer)
      item.dot.encode(to: &writer)
      item.content.encode(to: &writer)
    }
    return writer.bytes
  }

  static func decode(_ row: [UInt8]) throws(TreeError) -> [FileItem] {
    var reader = ByteReader(row)
    var items: [FileItem] = []
    while !reader.isAtEnd {
      let stamp = try Stamp.decode(&reader)
      let dot = try Dot.decode(&reader)
      items.append(FileItem(stamp: stamp, dot: dot, content: try FileContent.decode(from: &reader)))
    }
    return items
  }
}

/// One content of a stored file, and who stored it.
package struct StoredFile: Equatable, Sendable {
  package let name: FileName
  package let content: FileContent
  /// Milliseconds since 1970 by the stamp of the change that stored it.
  package let milliseconds: UInt64
  package let deviceName: String
}

extension ReadTransaction {
  /// What is live of a file, the content that shows first; empty where there is none. O(log n).
  package func files(_ name: FileName) throws -> [StoredFile] {
    let replica = try replica()
    return try replica.files(name.key, rows).map { replica.stored(name, $0) }
  }

  /// Calls `body` with the names below a folder, in key order, and what is live of each, until it returns false.
  package func forEachFile(
    below folder: PathKey, from: [UInt8] = [], _ body: (FileName, [StoredFile]) throws -> Bool
  ) throws {
    let replica = try replica()
    var next = from.isEmpty ? folder.bytes : from
    while let (key, row) = try PathTable.file.first(atLeast: next, below: folder, rows) {
      let name = FileName(trusted: PathKey(trusted: key))
      let items = try FileItem.decode(row)
      guard try body(name, items.map { replica.stored(name, $0) }) else { return }
      next = PathTable.successor(of: key)
    }
  }
}

extension Replica {
  fileprivate func stored(_ name: FileName, _ item: FileItem) -> StoredFile {
    StoredFile(
      name: name, content: item.content, milliseconds: item.stamp.milliseconds,
      deviceName: logs[item.dot.log].deviceName)
  }
}

extension PathTable {
  /// The first row whose key begins with `prefix` and is at or behind `key`.
  func first(
    atLeast key: [UInt8], below prefix: PathKey, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> (key: [UInt8], row: [UInt8])? {
    try withCursor(in: rows) { (cursor) throws(TreeError) -> (key: [UInt8], row: [UInt8])? in
      guard try cursor.seek(atLeast: key), cursor.key.starts(with: prefix.bytes) else { return nil }
      return (cursor.keyBytes, cursor.valueBytes)
    }
  }
}

extension WriteTransaction {
  /// What a file is from now on; nil removes it.
  package func setFile(_ name: FileName, _ content: FileContent?) { form.append(.file(name, content)) }
}

extension ReadTransaction {
  /// The first name that is at or behind `key` and below a folder.
  package func firstFile(atLeast key: [UInt8], below folder: PathKey) throws -> FileName? {
    try PathTable.file.first(atLeast: key, below: folder, rows).map { FileName(trusted: PathKey(trusted: $0.key)) }
  }
}
