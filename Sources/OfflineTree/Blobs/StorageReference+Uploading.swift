extension StorageReference {
  /// Stores bytes under this name, in place of what this device knows there. Durable on this device when it returns.
  ///
  /// - Parameters:
  ///   - metadata: Of it, the content type is stored.
  ///   - onProgress: Called on any thread.
  /// - Throws: `refused` where the rules forbid it, `limitExceeded` for more than 16 GiB, `full`, `cancelled` if the task
  ///   was cancelled; then nothing is stored.
  @discardableResult
  public func putData(
    _ data: [UInt8], metadata: StorageMetadata? = nil, onProgress: (@Sendable (StorageProgress) -> Void)? = nil
  ) async throws -> StorageMetadata {
    try await put(metadata, all: UInt64(data.count), onProgress) { offset, count in
      let start = min(Int(clamping: offset), data.count)
      return Array(data[start..<min(start + count, data.count)])
    }
  }

  /// Stores a file of this machine under this name. It is read in pieces: a few MB of memory, whatever its length.
  ///
  /// - Throws: Also `notFound` and `inputOutput` for what cannot be read.
  @discardableResult
  public func putFile(
    from path: String, metadata: StorageMetadata? = nil, onProgress: (@Sendable (StorageProgress) -> Void)? = nil
  ) async throws -> StorageMetadata {
    let (file, length) = try await database.aside {
      let file = try OpenedFile(reading: path)
      return (file, try file.byteCount())
    }
    return try await put(metadata, all: length, onProgress) { offset, count in
      try file.read(at: offset, count: count)
    }
  }

  /// Changes what is known of the file, which keeps its content: the content type, if one is given.
  /// - Throws: `notFound` where there is none, `refused` while contents are in conflict.
  @discardableResult
  public func updateMetadata(_ metadata: StorageMetadata) async throws -> StorageMetadata {
    let name = try requireName()
    let type = try metadata.contentType.map { _ in try metadata.requireType(of: name) }
    let user = try database.actingUser?()
    return try await database.write(as: user) { [bucket, database] transaction in
      let files = try transaction.files(name)
      guard let file = files.first else { throw notFound(name) }
      guard files.allSatisfy({ $0.content.manifest == file.content.manifest }) else {
        throw TreeError(
          .refused, "devices stored different contents of the file \(name), not knowing of each other",
          advice: "Look at conflicts(), and store the one that is right: that settles it.")
      }
      let content = FileContent(
        manifest: file.content.manifest, length: file.content.length, type: type ?? file.content.type)
      if content != file.content { transaction.setFile(name, content) }
      return StorageMetadata(
        StoredFile(
          name: name, content: content, milliseconds: UInt64(clamping: transaction.wallTime),
          deviceName: database.deviceName), bucket: bucket, isHere: try transaction.rows.isComplete(content))
    }
  }

  /// Removes the file: every content that this device knows of. One that another device stored meanwhile stays.
  /// - Throws: `notFound` where there is none, `refused` where the rules forbid it.
  public func delete() async throws {
    let name = try requireName()
    let user = try database.actingUser?()
    try await database.write(as: user) { transaction in
      guard try !transaction.files(name).isEmpty else { throw notFound(name) }
      transaction.setFile(name, nil)
    }
  }

  private func put(
    _ metadata: StorageMetadata?, all length: UInt64, _ onProgress: (@Sendable (StorageProgress) -> Void)?,
    _ read: @escaping @Sendable (_ offset: UInt64, _ count: Int) throws -> [UInt8]
  ) async throws -> StorageMetadata {
    let name = try requireName()
    let type = try (metadata ?? StorageMetadata()).requireType(of: name)
    var upload = ChunkUpload(database, name, onProgress)
    defer { upload.end() }
    try await upload.run(length, read)
    let file = try await upload.finish(type, user: try database.actingUser?())
    return StorageMetadata(file, bucket: bucket, isHere: true)
  }
}

/// Cuts what is stored into chunks and keeps them, many short writes; then the file, in one change with its manifest.
private struct ChunkUpload {
  /// Chunks that are made and kept together.
  private static let atOnce = 8

  private let database: Database
  private let name: FileName
  private let onProgress: (@Sendable (StorageProgress) -> Void)?
  private var ids: [Bytes32] = []
  private var length: UInt64 = 0
  /// What is not to be collected before the file is there.
  private var used: [Bytes32] = []

  init(_ database: Database, _ name: FileName, _ onProgress: (@Sendable (StorageProgress) -> Void)?) {
    (self.database, self.name, self.onProgress) = (database, name, onProgress)
  }

  func end() { database.chunkUses.end(used) }

  mutating func run(
    _ all: UInt64, _ read: @escaping @Sendable (_ offset: UInt64, _ count: Int) throws -> [UInt8]
  ) async throws {
    while true {
      try checkCancelled("storing the file \(name)")
      let start = length
      let chunks = try await database.aside { [database, name] in try Self.chunks(from: start, name, database, read) }
      if chunks.isEmpty { return }
      let new = chunks.map(\.id)
      database.chunkUses.begin(new)
      used += new
      try await keep(chunks)
      ids += new
      length += chunks.reduce(0) { $0 + UInt64($1.count) }
      onProgress?(StorageProgress(length, of: all))
      if chunks.count < Self.atOnce || chunks[chunks.count - 1].count < Limits.chunkBytes { return }
    }
  }

  private static func chunks(
    from start: UInt64, _ name: FileName, _ database: Database,
    _ read: (_ offset: UInt64, _ count: Int) throws -> [UInt8]
  ) throws -> [Chunk] {
    var chunks: [Chunk] = []
    for place in 0..<atOnce {
      let offset = start + UInt64(place) * UInt64(Limits.chunkBytes)
      let bytes = try read(offset, Limits.chunkBytes)
      if bytes.isEmpty { break }
      guard offset + UInt64(bytes.count) <= Limits.fileBytes else {
        throw TreeError(
          .limitExceeded, "the file \(name) has more than \(Limits.fileBytes) bytes", advice: "Store it in parts.")
      }
      chunks.append(try Chunk(.data, bytes, space: database.spaceID))
      if bytes.count < Limits.chunkBytes { break }
    }
    return chunks
  }

  private func keep(_ chunks: [Chunk]) async throws {
    try await database.queue.submit { rows, _ in
      for chunk in chunks { try rows.keep(chunk) }
    }
  }

  /// - Returns: What was stored: another process may have changed the file since.
  mutating func finish(_ type: String, user: Key?) async throws -> StoredFile {
    let manifest = try Chunk(.manifest, Manifest(length: length, ids: ids).encoded, space: database.spaceID)
    database.chunkUses.begin([manifest.id])
    used.append(manifest.id)
    try checkCancelled("storing the file \(name)")
    let content = FileContent(manifest: manifest.id, length: length, type: type)
    let (ids, name) = (ids, name)
    return try await database.write(as: user) { [database] transaction in
      // Another process may have collected what this one took too long for.
      for id in ids where try !transaction.rows.hasChunk(id) {
        throw TreeError(
          .unavailable, "a part of the file \(name) was collected while it was stored", advice: "Store it again.")
      }
      try transaction.rows.keep(manifest)
      try transaction.rows.put(.mark, ChunkMark.complete(manifest.id), [])
      transaction.setFile(name, content)
      return StoredFile(
        name: name, content: content, milliseconds: UInt64(clamping: transaction.wallTime),
        deviceName: database.deviceName)
    }
  }
}
