/// Waits for the chunks of a file: says that they are wanted, and looks after each commit.
struct ChunkFetch {
  private let database: Database
  private let file: FileContent
  private let name: String
  private let onProgress: (@Sendable (StorageProgress) -> Void)?
  private var manifest: Manifest?
  /// Chunks before it are here.
  private var next = 0

  init(
    _ database: Database, _ file: FileContent, _ name: String,
    _ onProgress: (@Sendable (StorageProgress) -> Void)?
  ) {
    (self.database, self.file, self.name, self.onProgress) = (database, file, name, onProgress)
  }

  mutating func run(_ patience: Duration) async throws -> Manifest {
    do {
      if let manifest = try await look() { return manifest }
      let (signals, observation) = try signals(patience)
      defer { observation.cancel() }
      try await setWanted(true)
      if let manifest = try await look() { return try await done(manifest) }
      for await isCommit in signals {
        try checkCancelled("reading the file \(name)")
        if let manifest = try await look() { return try await done(manifest) }
        if !isCommit { throw late }
      }
      try checkCancelled("reading the file \(name)")
      throw late
    } catch {
      release()
      // What is not the content that the file names is not to be fetched further.
      if let code = (error as? TreeError)?.code, [.damaged, .limitExceeded, .unsupportedVersion].contains(code) {
        try await setWanted(false)
      }
      throw error
    }
  }

  private var late: TreeError {
    TreeError(
      .unavailable, "the content of the file \(name) is not here, and nobody who has it could be reached in time",
      advice: "It is fetched at the next sync with a device that has it.")
  }

  private func done(_ manifest: Manifest) async throws -> Manifest {
    try await setWanted(false)
    return manifest
  }

  private func release() {
    if let manifest { database.chunkUses.end(manifest.ids) }
  }

  /// The manifest, once all that it lists is here.
  private mutating func look() async throws -> Manifest? {
    if manifest == nil {
      manifest = try await database.aside { [database, file] in
        try database.view { rows, _ in try rows.manifest(of: file) }
      }
      if let manifest { database.chunkUses.begin(manifest.ids) }
    }
    guard let manifest else { return nil }
    let start = next
    next = try await database.aside { [database] in
      try database.view { rows, _ in
        var index = start
        while index < manifest.ids.count, try rows.hasChunk(manifest.ids[index]) { index += 1 }
        return index
      }
    }
    let done = min(file.length, UInt64(next) * UInt64(manifest.chunkBytes))
    if next > start || next == manifest.ids.count { onProgress?(StorageProgress(done, of: file.length)) }
    return next == manifest.ids.count ? manifest : nil
  }

  private func setWanted(_ isWanted: Bool) async throws {
    let (id, now) = (file.manifest, database.environment.wallClock())
    try await database.queue.submit { rows, _ in
      if isWanted {
        try rows.setTime(ChunkMark.wanted(id), now)
      } else {
        try rows.delete(.mark, ChunkMark.wanted(id))
      }
    }
  }

  /// True after each commit, false once the patience is over; ends when the task is cancelled.
  private func signals(_ patience: Duration) throws -> (AsyncStream<Bool>, CommitObservation) {
    let (stream, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    let timer = Task {
      try await Task.sleep(for: patience)
      continuation.yield(false)
      continuation.finish()
    }
    continuation.onTermination = { _ in timer.cancel() }
    let observation = try database.onCommit { continuation.yield(true) }
    return (
      stream,
      CommitObservation {
        observation.cancel()
        continuation.finish()
        timer.cancel()
      }
    )
  }
}
