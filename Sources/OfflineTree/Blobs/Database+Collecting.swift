/// What a collection of chunks did.
public struct ChunkCollection: Sendable, Equatable {
  /// Chunks that were removed.
  public var removed = 0
  /// Chunks that no file needs, and that stay: they have not been so long enough, or somebody stores a file with them.
  public var loose = 0
}

extension Database {
  /// How long a chunk stays that no file needs: 30 days, in milliseconds. Until then a file that somebody replaced or removed
  /// comes back whole, if what he did turns out to be void or is undone.
  package static let chunkGrace: Int64 = 30 * 86_400_000
  private static let collectedAtOnce = 64

  /// Removes the chunks of which no live content of a file is made, conflicting contents included, and which have been so
  /// for the grace period. Chunks of a file that is being stored stay.
  ///
  /// Many short transactions. If files change meanwhile it begins anew, a few times; what is left is collected next time.
  /// - Parameter grace: In milliseconds.
  /// - Complexity: O(chunks), in time; 32 bytes of memory for each chunk that is needed.
  @discardableResult
  package func collectChunks(grace: Int64 = Database.chunkGrace) async throws -> ChunkCollection {
    var result = ChunkCollection()
    for _ in 0..<4 {
      let (changes, needed) = try await aside { try self.neededChunks() }
      result.loose = 0
      if try await sweep(needed, changes, grace, &result) { return result }
    }
    return result
  }

  /// Every chunk that a live content of a file needs, as far as its manifest is here, and for which state of the files.
  package func neededChunks() throws -> (changes: UInt64, ids: Set<Bytes32>) {
    let changes = try fileChanges()
    var needed: Set<Bytes32> = []
    var next: [UInt8]? = FileName.root.bytes
    while let from = next {
      let (files, rest) = try read { transaction in
        var files: [FileContent] = []
        var rest: [UInt8]?
        try transaction.forEachFile(below: FileName.root, from: from) { name, contents in
          if files.count >= 256 {
            rest = name.key.bytes
            return false
          }
          files += contents.map(\.content)
          return true
        }
        return (files, rest)
      }
      for file in files where needed.insert(file.manifest).inserted {
        // A manifest that is no list needs nothing; whoever reads the file is told.
        let manifest = try view { rows, _ in try? rows.manifest(of: file) }
        needed.formUnion(manifest?.ids ?? [])
      }
      next = rest
    }
    return (changes, needed)
  }

  /// Raised by each change of what is live of files.
  package func fileChanges() throws(TreeError) -> UInt64 { try view { rows, _ in try Replica.fileChanges(rows) } }

  /// False if files have changed meanwhile.
  private func sweep(
    _ needed: Set<Bytes32>, _ changes: UInt64, _ grace: Int64, _ result: inout ChunkCollection
  ) async throws -> Bool {
    let uses = chunkUses
    let now = environment.wallClock()
    try await queue.submit { rows, _ in try rows.forgetWanted(before: now - grace) }
    var next: [UInt8] = [0]
    while true {
      let from = next
      let ids = try await aside {
        try self.view { rows, _ in try rows.keys(of: .chunk, from: from, count: Self.collectedAtOnce) }
      }
      guard let last = ids.last else { break }
      next = last + [0]
      let outcome = try await queue.submit { rows, _ -> (removed: Int, loose: Int)? in
        guard try Replica.fileChanges(rows) == changes else { return nil }
        var (removed, loose) = (0, 0)
        for id in ids.map({ Bytes32($0) }) {
          if needed.contains(id) {
            try rows.delete(.mark, ChunkMark.loose(id))
          } else if try !uses.contains(id) && rows.isDue(id, now, grace) {
            try rows.remove(id)
            removed += 1
          } else {
            loose += 1
          }
        }
        // A content of which a chunk went may come back before its manifest goes as well: then it is not complete.
        if removed > 0 { try rows.forgetComplete() }
        return (removed, loose)
      }
      guard let outcome else { return false }
      result.removed += outcome.removed
      result.loose += outcome.loose
    }
    return true
  }
}

extension StoreTransaction {
  /// Keys of a table from one on.
  fileprivate func keys(of table: Table, from: [UInt8], count: Int) throws(TreeError) -> [[UInt8]] {
    try withCursor(table) { (cursor) throws(TreeError) in
      var keys: [[UInt8]] = []
      var isFound = try cursor.seek(atLeast: from)
      while isFound, keys.count < count {
        keys.append(cursor.keyBytes)
        isFound = try cursor.next()
      }
      return keys
    }
  }

  /// Has no file needed the chunk for that long? If that is not known, it counts from now on.
  fileprivate func isDue(_ id: Bytes32, _ now: Int64, _ grace: Int64) throws(TreeError) -> Bool {
    let key = ChunkMark.loose(id)
    let since = try time(key)
    // A clock that was ahead would keep it for as long.
    if since == nil || since! > now { try setTime(key, now) }
    return now - min(now, since ?? now) >= grace
  }

  fileprivate func remove(_ id: Bytes32) throws(TreeError) {
    try delete(.chunk, id.bytes)
    for key in [ChunkMark.loose(id), ChunkMark.wanted(id)] { try delete(.mark, key) }
  }

  /// Who waited for them has given up.
  fileprivate func forgetWanted(before time: Int64) throws(TreeError) {
    var old: [[UInt8]] = []
    try withCursor(.mark) { (cursor) throws(TreeError) in
      var isFound = try cursor.seek(atLeast: ChunkMark.wantedPrefix)
      while isFound, cursor.keyBytes.starts(with: ChunkMark.wantedPrefix) {
        old.append(cursor.keyBytes)
        isFound = try cursor.next()
      }
    }
    for key in old where try self.time(key) ?? 0 < time { try delete(.mark, key) }
  }

  /// Which files are here as a whole is found out anew.
  fileprivate func forgetComplete() throws(TreeError) {
    try withCursor(.mark) { (cursor) throws(TreeError) in
      while try cursor.seek(atLeast: ChunkMark.completePrefix), cursor.keyBytes.starts(with: ChunkMark.completePrefix) {
        try cursor.deleteCurrent()
      }
    }
  }
}
