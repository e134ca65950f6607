/// What is known of a stored file without its content.
public struct StorageMetadata: Sendable, Equatable {
  /// The space's id; empty for what was not read.
  public private(set) var bucket = ""
  /// The whole name; empty for what was not read.
  public private(set) var path = ""
  /// Bytes of the content.
  public private(set) var size: Int64 = 0
  /// Such as "image/jpeg"; nil stands for what the file's name says, or else "application/octet-stream".
  public var contentType: String?
  /// When it was stored, milliseconds since 1970 by the clock of the device that did.
  public private(set) var updated: UInt64 = 0
  /// What people call the device that stored it.
  public private(set) var deviceName = ""
  /// Is the whole content on this device?
  public private(set) var isHere = false
  private(set) var content: FileContent?

  /// What a file is to have when it is stored.
  public init(contentType: String? = nil) { self.contentType = contentType }

  init(_ file: StoredFile, bucket: String, isHere: Bool) {
    self.bucket = bucket
    path = file.name.text
    size = Int64(clamping: file.content.length)
    contentType = file.content.type.isEmpty ? nil : file.content.type
    updated = file.milliseconds
    deviceName = file.deviceName
    self.isHere = isHere
    content = file.content
  }

  /// What follows the last slash of the name.
  public var name: String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }

  /// The content type of a new file.
  /// - Throws: `invalidArgument` for what is none.
  func requireType(of name: FileName) throws(TreeError) -> String {
    let type = contentType ?? StorageMetadata.type(ofName: name.text)
    guard FileContent.isType(type) else {
      throw TreeError(
        .invalidArgument, "\"\(UTF8Text.excerpt(type.utf8))\" is no content type",
        advice: "Use printable ASCII, as in image/jpeg, at most \(Limits.fileTypeBytes) characters.")
    }
    return type
  }

  private static func type(ofName name: String) -> String {
    let ending = name.utf8.lastIndex(of: UInt8(ascii: ".")).map { name[name.utf8.index(after: $0)...].lowercased() }
    return ending.flatMap { types[$0] } ?? "application/octet-stream"
  }

  private static let types = [
    "css": "text/css", "csv": "text/csv", "gif": "image/gif", "html": "text/html", "jpeg": "image/jpeg",
    "jpg": "image/jpeg", "json": "application/json", "mp3": "audio/mpeg", "mp4": "video/mp4", "pdf": "application/pdf",
    "png": "image/png", "svg": "image/svg+xml", "txt": "text/plain", "webp": "image/webp", "zip": "application/zip",
  ]
}

/// How far a file has come.
public struct StorageProgress: Sendable, Equatable {
  /// Bytes that are done.
  public let completedUnitCount: Int64
  /// Bytes in all; while a file is read whose length is not known, those that are done.
  public let totalUnitCount: Int64

  init(_ done: UInt64, of all: UInt64) {
    completedUnitCount = Int64(clamping: done)
    totalUnitCount = Int64(clamping: max(done, all))
  }
}

/// Names below a folder, one page of them.
public struct StorageListResult: Sendable, Equatable {
  /// Folders: places below which there are files.
  public let prefixes: [StorageReference]
  /// Files.
  public let items: [StorageReference]
  /// Where the next page begins; nil after the last.
  public let pageToken: String?
}
