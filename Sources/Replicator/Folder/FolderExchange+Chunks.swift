internal import OfflineTree

/// Chunks of files in a shared folder: each a file that is written once, and read by who wants it.
extension FolderExchange {
  /// Bytes of chunks that are read, and written, in one exchange: the rest has its turn in the next one.
  static let chunkBytes = 64 << 20

  /// When this home looked last for what it has to write and remove: nothing to do until one of these changes.
  struct ChunkState: Equatable {
    var changes: UInt64
    var here: Int
    var there: Int
    var hour: Int64
  }

  /// What keeps chunks from their way keeps nothing else from it.
  /// - Returns: Whether anything was read, written or removed.
  func exchangeChunks(_ report: inout SyncReport) -> Bool {
    do {
      let hasRead = try fetchChunks(&report)
      let hasWritten = try publishChunks()
      return hasRead || hasWritten
    } catch {
      report.notes.append("Contents of files could not be exchanged: \(TreeError(anyError: error))")
      return false
    }
  }

  private func fetchChunks(_ report: inout SyncReport) throws -> Bool {
    var places: [Bytes32: [FolderName]] = [:]
    for (entry, chunk) in index.chunks { places[chunk.id, default: []].append(entry.name) }
    if places.isEmpty { return false }
    var absent: Set<Bytes32> = []
    var (bytes, count) = (0, 0)
    while bytes < Self.chunkBytes {
      let asker = ObjectIdentifier(self)
      let wanted = try database.wantedChunks(limit: 1_024, without: absent, asker: asker).ids
      defer { database.releaseChunks(wanted, asker: asker) }
      if wanted.isEmpty { break }
      var batch: [(id: Bytes32, form: [UInt8])] = []
      for id in wanted {
        if let form = openChunk(id, places[id] ?? [], &report) {
          batch.append((id, form))
          bytes += form.count
        } else {
          absent.insert(id)
        }
        if batch.count == 8 { try keep(&batch, &absent, &count, &report) }
        if bytes >= Self.chunkBytes { break }
      }
      try keep(&batch, &absent, &count, &report)
    }
    report.chunks += count
    return count > 0
  }

  private func keep(
    _ batch: inout [(id: Bytes32, form: [UInt8])], _ absent: inout Set<Bytes32>, _ count: inout Int,
    _ report: inout SyncReport
  ) throws {
    let refused = try database.keep(chunks: batch)
    for (id, error) in refused {
      absent.insert(id)
      report.refused.append(SyncReport.Refusal(name: "a chunk of a file", error: error))
    }
    count += batch.count - refused.count
    batch = []
  }

  /// The form of a chunk, from the first of its files that opens.
  private func openChunk(_ id: Bytes32, _ names: [FolderName], _ report: inout SyncReport) -> [UInt8]? {
    for name in names {
      do throws(TreeError) {
        let limit = SealedOuter.Kind.chunk.maximumFileBytes
        let opened = try ChunkFile.open(try files.read(index.path(name), maximumBytes: limit), known: index.keys)
        guard opened.id == id else {
          throw TreeError(.damaged, "it was changed while it was read", advice: "It is read again later")
        }
        // Whoever may write here can put anything under a name: another file may hold what is right.
        return try Chunk(form: opened.form, id: id, space: database.spaceID).form
      } catch {
        let isGone = error.code == .notFound
        index.fail(name, isGone ? .incomplete : .unreadable(error), now: environment.monotonicClock())
        if !isGone { report.refused.append(SyncReport.Refusal(name: name.description, error: error)) }
      }
    }
    return nil
  }

  /// Writes what files need, this home has and no readable file of the folder holds; removes of its own what no file needs.
  private func publishChunks() throws -> Bool {
    let there = Set(index.chunks.map(\.chunk.id))
    let state = ChunkState(
      changes: try database.fileChanges(), here: try database.read { try $0.chunkCount() }, there: there.count,
      hour: environment.wallClock() / 3_600_000)
    if chunkState == state { return false }
    let needed = try database.neededChunks().ids
    var bytes = 0
    let keys = try database.epochs().current
    // Under an older key than that of now, a device that was removed could read it.
    if try database.ownStanding().hasCurrentKey {
      for id in needed.sorted() where !there.contains(id) {
        guard let form = try database.chunkForm(id) else { continue }
        let name = FolderName.chunk(id, of: database.homeToken, keys)
        let file = ChunkFile.seal(id, form, keys, random: environment.randomBytes(32))
        try writeFile(name, file)
        note(name, .chunk(try ChunkFile(opening: file[...], try SealedOuter(decoding: file[...]), keys)))
        bytes += form.count
        if bytes >= Self.chunkBytes { return true }
      }
    }
    let hasRemoved = try removeChunks(needed)
    chunkState = state
    return bytes > 0 || hasRemoved
  }

  private func removeChunks(_ needed: Set<Bytes32>) throws(TreeError) -> Bool {
    let old = environment.wallClock() - Database.chunkGrace
    var isAny = false
    for entry in index.entries.values where entry.name.isIn(home) {
      if case .chunk(let chunk) = entry.content {
        if needed.contains(chunk.id) || entry.stamp.modifiedMilliseconds > old { continue }
      } else if !entry.isDamaged || !entry.name.ends(with: FolderName.chunkSuffix) {
        continue
      }
      try removeFile(entry.name)
      isAny = true
    }
    return isAny
  }
}
