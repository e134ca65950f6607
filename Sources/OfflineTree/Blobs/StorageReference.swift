/// A place among the files of a space: a file, a folder, or both.
///
/// Immutable; making one reads nothing, and a name that cannot be one fails when it is used.
public struct StorageReference: Sendable {
  public let storage: Storage
  /// The whole name, "profile_image/a.jpg"; empty at the top.
  public let fullPath: String

  init(_ storage: Storage, _ path: String) {
    self.storage = storage
    fullPath = path
  }

  /// A place below this one, such as "a.jpg" or "2026/a.jpg".
  public func child(_ path: String) -> StorageReference {
    let segments = (Array(fullPath.utf8) + [UInt8(ascii: "/")] + path.utf8).split(separator: UInt8(ascii: "/"))
    let text = segments.joined(separator: [UInt8(ascii: "/")])
    return StorageReference(storage, String(decoding: Array(text), as: UTF8.self))
  }

  /// The place above; nil at the top.
  public func parent() -> StorageReference? {
    if fullPath.isEmpty { return nil }
    let above = fullPath.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(fullPath[..<$0]) }
    return StorageReference(storage, above ?? "")
  }

  /// The top.
  public func root() -> StorageReference { storage.reference() }

  /// What follows the last slash; empty at the top.
  public var name: String {
    fullPath.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(fullPath[fullPath.utf8.index(after: $0)...]) }
      ?? fullPath
  }

  /// What the files belong to: the space's id.
  public var bucket: String { database.spaceID.description }

  var database: Database { storage.database }

  /// - Throws: `invalidArgument` or `limitExceeded` for what is no name of a file.
  func requireName() throws(TreeError) -> FileName {
    if fullPath.isEmpty {
      throw TreeError(.invalidArgument, "the top is no file", advice: "Name one with child(_:).")
    }
    return try FileName(fullPath)
  }

  func notFound(_ name: FileName) -> TreeError {
    TreeError(.notFound, "there is no file \(name)", advice: "Look at the names with listAll(), or sync first.")
  }
}

extension StorageReference: Hashable {
  public static func == (left: StorageReference, right: StorageReference) -> Bool {
    left.database === right.database && UTF8Text.areEqual(left.fullPath, right.fullPath)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(database))
    fullPath.hashUTF8(into: &hasher)
  }
}

extension StorageReference: CustomStringConvertible {
  public var description: String { fullPath }
}
