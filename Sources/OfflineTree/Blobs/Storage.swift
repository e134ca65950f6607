/// The files of a space: named like paths, kept in chunks, carried by the same remotes as the tree.
///
///     let image = database.storage.reference().child("profile_image/a.jpg")
///     try await image.putData(bytes, metadata: StorageMetadata(contentType: "image/jpeg"))
///     let bytes = try await image.getData(maxSize: 10 << 20)
///
/// Every device knows every name; which contents it has is a matter of `fetching`. Storing, removing and listing work
/// without a network.
public struct Storage: Sendable {
  /// The database beside which the files are.
  public let database: Database

  /// Which contents this home fetches without being asked for them.
  public enum Fetching: Sendable, Equatable {
    /// All of them.
    case all
    /// None: a content comes when somebody reads it.
    case onDemand
    /// Those of files that have at most so many bytes.
    case upTo(bytes: UInt64)
  }

  /// What a home fetches that was not told otherwise: files of at most 8 MiB.
  public static let defaultFetching = Fetching.upTo(bytes: 8 << 20)
  /// How long a read waits for a content that is not here, unless it says otherwise.
  public static let defaultPatience = Duration.seconds(600)

  init(_ database: Database) { self.database = database }

  /// The top, above all files.
  public func reference() -> StorageReference { StorageReference(self, "") }

  /// The file or folder of that name.
  public func reference(withPath path: String) -> StorageReference { reference().child(path) }

  /// Which contents this home fetches without being asked for them.
  public func fetching() throws(TreeError) -> Fetching {
    try database.view { rows, _ in try Fetching(rows) }
  }

  /// Says which contents this home fetches without being asked for them, in this and every other process, from now on.
  /// What is here stays.
  public func setFetching(_ fetching: Fetching) async throws {
    try await database.queue.submit { rows, _ in try fetching.store(rows) }
  }

  /// Removes what no file needs any more, and has not needed for 30 days; a program that syncs does so now and then.
  /// - Complexity: O(chunks).
  @discardableResult
  public func collect() async throws -> ChunkCollection { try await database.collectChunks() }
}

extension Database {
  /// The files of the space.
  public var storage: Storage { Storage(self) }
}

extension Storage.Fetching {
  /// ```
  /// 0 all · 1 on demand · 2 ‖ varint bytes
  /// ```
  init(_ rows: borrowing StoreTransaction) throws(TreeError) {
    guard let row = try rows.get(.mark, ChunkMark.fetching) else {
      self = Storage.defaultFetching
      return
    }
    var reader = ByteReader(row)
    switch try reader.u8("which files are fetched") {
    case 0: self = .all
    case 1: self = .onDemand
    default: self = .upTo(bytes: try reader.varint("bytes of files that are fetched"))
    }
  }

  fileprivate func store(_ rows: borrowing StoreTransaction) throws(TreeError) {
    var writer = ByteWriter()
    switch self {
    case .all: writer.u8(0)
    case .onDemand: writer.u8(1)
    case .upTo(let bytes):
      writer.u8(2)
      writer.varint(bytes)
    }
    try rows.put(.mark, ChunkMark.fetching, writer.bytes)
  }

  func covers(_ file: FileContent) -> Bool {
    switch self {
    case .all: true
    case .onDemand: false
    case .upTo(let bytes): file.length <= bytes
    }
  }
}
