extension StorageReference {
  /// The content of the file, in memory. Fetched from whoever has it, if it is not here.
  ///
  /// - Parameters:
  ///   - maxSize: Bytes that the caller is ready to hold.
  ///   - version: One of `conflicts()`; nil for the content that shows.
  ///   - patience: How long to wait for a content that is not here.
  /// - Throws: `notFound` where there is no file, `downloadSizeExceeded` for a longer one, `unavailable` if the content
  ///   did not come in time, `cancelled` if the task was cancelled.
  public func getData(
    maxSize: Int64, of version: StorageMetadata? = nil, patience: Duration = Storage.defaultPatience,
    onProgress: (@Sendable (StorageProgress) -> Void)? = nil
  ) async throws -> [UInt8] {
    let file = try await content(of: version)
    guard file.length <= UInt64(max(0, maxSize)) else {
      throw TreeError(
        .downloadSizeExceeded, "the file \(fullPath) has \(file.length) bytes, more than \(maxSize)",
        advice: "Allow more, or write it to a file with write(toFile:).")
    }
    let manifest = try await fetch(file, patience, onProgress)
    defer { database.chunkUses.end(manifest.ids) }
    return try await database.aside { [database, fullPath] in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(Int(file.length))
      for index in manifest.ids.indices { bytes += try database.chunk(index, of: manifest, fullPath) }
      return bytes
    }
  }

  /// Writes the content of the file to a file of this machine, in place of one that stands there. In pieces: a few MB of
  /// memory, whatever its length. The file is there as a whole or not at all.
  ///
  /// - Throws: Also what keeps a file from being written.
  public func write(
    toFile path: String, of version: StorageMetadata? = nil, patience: Duration = Storage.defaultPatience,
    onProgress: (@Sendable (StorageProgress) -> Void)? = nil
  ) async throws {
    let file = try await content(of: version)
    let manifest = try await fetch(file, patience, onProgress)
    defer { database.chunkUses.end(manifest.ids) }
    let temporary = "\(path).\(hexadecimal(database.environment.randomBytes(8))).tmp"
    do {
      try await write(manifest, to: temporary)
      try await database.aside {
        try FileSystem.rename(temporary, to: path)
        try FileSystem.syncDirectory(FileSystem.parent(of: path))
      }
    } catch {
      // It failed already; whoever looks at the folder sees by its name what the rest is.
      try? FileSystem.remove(temporary)
      throw error
    }
  }

  private func write(_ manifest: Manifest, to path: String) async throws {
    let file = try await database.aside { try OpenedFile(creating: path) }
    var index = 0
    while index < manifest.ids.count {
      try checkCancelled("reading the file \(fullPath)")
      let batch = index..<min(index + 8, manifest.ids.count)
      try await database.aside { [database, fullPath] in
        for index in batch {
          let bytes = try database.chunk(index, of: manifest, fullPath)
          try file.write(bytes, at: UInt64(index) * UInt64(manifest.chunkBytes))
        }
      }
      index = batch.upperBound
    }
    try await database.aside { try file.sync() }
  }

  /// Asks for the content without reading it: it is here when this returns.
  /// - Throws: As `getData`.
  public func fetch(
    patience: Duration = Storage.defaultPatience, onProgress: (@Sendable (StorageProgress) -> Void)? = nil
  ) async throws {
    let manifest = try await fetch(try await content(of: nil), patience, onProgress)
    database.chunkUses.end(manifest.ids)
  }

  private func content(of version: StorageMetadata?) async throws -> FileContent {
    if let content = version?.content { return content }
    let name = try requireName()
    guard let file = try await database.readAside({ try $0.files(name).first }) else { throw notFound(name) }
    return file.content
  }

  /// Waits until everything is here; its chunks are then in use, until the caller ends that.
  private func fetch(
    _ file: FileContent, _ patience: Duration, _ onProgress: (@Sendable (StorageProgress) -> Void)?
  ) async throws -> Manifest {
    var fetch = ChunkFetch(database, file, fullPath, onProgress)
    return try await fetch.run(patience)
  }
}

extension Database {
  /// The bytes of a chunk of a file, which is here.
  fileprivate func chunk(_ index: Int, of manifest: Manifest, _ name: String) throws -> [UInt8] {
    let id = manifest.ids[index]
    guard let bytes = try view({ rows, _ in try rows.chunk(id, .data) }), bytes.count == manifest.byteCount(of: index)
    else {
      throw TreeError(
        .damaged, "a part of the file \(name) is not what its manifest says", advice: "Store the file again.")
    }
    return bytes
  }
}

extension StorageDownloadable {
  /// The model's file.
  /// - Throws: `notFound` for a model without one, `invalidArgument` for one that was not read.
  public func storageReference() throws(TreeError) -> StorageReference {
    let (database, name) = try requireFile()
    return database.storage.reference(withPath: name)
  }

  /// The content of the model's file.
  /// - Throws: What `storageReference` and `StorageReference.getData` throw.
  public func getData(maxSize: Int64) async throws -> [UInt8] {
    try await storageReference().getData(maxSize: maxSize)
  }
}
