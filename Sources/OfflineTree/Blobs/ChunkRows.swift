/// Rows of the tables `chunk` and `mark`.
extension StoreTransaction {
  package func hasChunk(_ id: Bytes32) throws(TreeError) -> Bool {
    try withValue(.chunk, id.bytes) { _ in true } ?? false
  }

  /// Keeps a chunk. How long no file has needed it counts from when a collection finds that.
  func keep(_ chunk: Chunk) throws(TreeError) {
    if try !hasChunk(chunk.id) {
      try put(.chunk, chunk.id.bytes, chunk.form)
      // What files need is more than before: who collects looks again.
      if chunk.kind == .manifest { try Replica.countFileChange(self) }
    }
    try delete(.mark, ChunkMark.loose(chunk.id))
  }

  /// The content of a chunk that is here, or nil.
  func chunk(_ id: Bytes32, _ kind: Chunk.Kind) throws(TreeError) -> [UInt8]? {
    guard let form = try get(.chunk, id.bytes) else { return nil }
    let opened = try Chunk.open(form)
    guard opened.kind == kind else { throw TreeError(.damaged, "a chunk of a file is of another kind than it must be") }
    return opened.content
  }

  /// The manifest of a file, or nil while it is not here.
  func manifest(of file: FileContent) throws(TreeError) -> Manifest? {
    guard let bytes = try chunk(file.manifest, .manifest) else { return nil }
    let manifest = try Manifest(decoding: bytes)
    guard manifest.length == file.length else {
      throw TreeError(
        .damaged, "what was stored as a file of \(file.length) bytes lists \(manifest.length)",
        advice: "Store the file again.")
    }
    return manifest
  }

  /// What stands under the id that a file names. Any member can name what is no list of chunks, or one of another length.
  func listing(_ id: Bytes32) throws(TreeError) -> ChunkListing {
    guard try hasChunk(id) else { return .missing }
    do throws(TreeError) {
      return try chunk(id, .manifest).map { (bytes) throws(TreeError) in .list(try Manifest(decoding: bytes)) }
        ?? .missing
    } catch {
      switch error.code {
      case .damaged, .limitExceeded, .unsupportedVersion: return .none
      default: throw error
      }
    }
  }

  /// Are the manifest and all its chunks here? O(1) once it is known.
  func isComplete(_ file: FileContent) throws(TreeError) -> Bool {
    if try get(.mark, ChunkMark.complete(file.manifest)) != nil { return true }
    guard case .list(let manifest) = try listing(file.manifest), manifest.length == file.length else { return false }
    for id in manifest.ids where try !hasChunk(id) { return false }
    return true
  }

  func time(_ key: [UInt8]) throws(TreeError) -> Int64? {
    guard let row = try get(.mark, key) else { return nil }
    var reader = ByteReader(row)
    return Int64(bitPattern: try reader.u64("time"))
  }

  func setTime(_ key: [UInt8], _ time: Int64) throws(TreeError) {
    var writer = ByteWriter()
    writer.u64(UInt64(bitPattern: time))
    try put(.mark, key, writer.bytes)
  }
}

/// What is known of a list of chunks.
enum ChunkListing {
  /// Its chunk is not here.
  case missing
  /// What is here is no list of chunks, and will not become one.
  case none
  case list(Manifest)
}

/// Chunks that this process is about to need, whatever the rows say: those of uploads and of downloads that go on.
final class ChunkUses: Sendable {
  private let counts = Monitor<[Bytes32: Int]>([:])

  func begin(_ ids: [Bytes32]) {
    counts.withLock { counts in for id in ids { counts[id, default: 0] += 1 } }
  }

  func end(_ ids: [Bytes32]) {
    counts.withLock { counts in
      for id in ids {
        guard let count = counts[id] else { continue }
        counts[id] = count > 1 ? count - 1 : nil
      }
    }
  }

  func contains(_ id: Bytes32) -> Bool { counts.withLock { $0[id] != nil } }
}

extension Database {
  var chunkUses: ChunkUses { attachment(ChunkUses.self) { ChunkUses() } }
}

extension ReadTransaction {
  /// How many chunks and manifests are here.
  package func chunkCount() throws -> Int { try rows.count(.chunk) }
}
