/// What the exchange with a shared folder asks of a file system; `SystemFiles` is the real one.
///
/// Each call may block on a disk.
package protocol Files: Sendable {
  /// The names in a folder, in byte order.
  func list(_ path: String) throws(TreeError) -> [String]
  /// What stands at `path`, a link counting as itself; nil if it is gone or cannot be looked at.
  func look(at path: String) -> (kind: FileSystem.ItemKind, stamp: FileStamp)?
  /// The volume on which a folder is.
  func volume(of path: String) throws(TreeError) -> FileSystem.Volume
  /// The first bytes of a regular file, `count` at most; nil for anything else.
  func readStart(_ path: String, count: Int) throws(TreeError) -> (bytes: [UInt8], stamp: FileStamp)?
  /// The bytes of a regular file.
  /// - Throws: `.notFound`, `.inputOutput` for anything but a regular file, `.limitExceeded` for a longer one.
  func read(_ path: String, maximumBytes: Int) throws(TreeError) -> [UInt8]
  /// Writes and syncs a file that must not exist yet; its name is durable only after `syncFolder`.
  func writeNew(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(TreeError)
  /// Gives a file another name in its folder, in the place of what had it.
  func rename(_ path: String, to name: String) throws(TreeError)
  /// Removes a file or an empty folder; that it is gone already is no error.
  func remove(_ path: String) throws(TreeError)
  /// Makes a folder, durably; its parent exists.
  /// - Returns: False if something stood there already.
  @discardableResult
  func makeFolder(_ path: String, mode: UInt32) throws(TreeError) -> Bool
  /// Brings a folder's list of names to the disk.
  func syncFolder(_ path: String) throws(TreeError)
  /// Blocks the thread for a moment.
  func pause(milliseconds: UInt32)
}

extension Files {
  /// Replaces or creates a small file so that, after a crash at any moment, it holds the old bytes or the new ones.
  ///
  /// Writes a temporary name beside it, syncs it, renames it, syncs the folder.
  ///
  /// - Parameters:
  ///   - path: The file's final name; its folder exists.
  ///   - mode: The file's permissions, whatever the umask is.
  ///   - chance: Random bytes for the temporary name.
  package func writeDurably(_ path: String, _ bytes: [UInt8], mode: UInt32, chance: [UInt8]) throws(TreeError) {
    let temporary = "\(path).\(hexadecimal(chance)).tmp"
    do throws(TreeError) {
      try writeNew(temporary, bytes, mode: mode)
      try rename(temporary, to: path)
    } catch {
      // It failed already; what stays is removed when it is old.
      try? remove(temporary)
      throw error
    }
    try syncFolder(FileSystem.parent(of: path))
  }
}

/// What tells one state of a file from another without reading it.
package struct FileStamp: Hashable, Sendable {
  package var size: Int
  /// Nanoseconds since 1970, by the clock of whoever wrote it.
  package var modified: Int64
  package var inode: UInt64

  package init(size: Int, modified: Int64, inode: UInt64) {
    (self.size, self.modified, self.inode) = (size, modified, inode)
  }

  package var modifiedMilliseconds: Int64 { modified / 1_000_000 }
}

/// The files of this machine.
package struct SystemFiles: Files {
  package init() {}

  package func list(_ path: String) throws(TreeError) -> [String] { try FileSystem.list(path) }

  package func look(at path: String) -> (kind: FileSystem.ItemKind, stamp: FileStamp)? { FileSystem.look(at: path) }

  package func volume(of path: String) throws(TreeError) -> FileSystem.Volume { try FileSystem.volume(path) }

  package func readStart(_ path: String, count: Int) throws(TreeError) -> (bytes: [UInt8], stamp: FileStamp)? {
    try FileSystem.readStart(path, count: count)
  }

  package func read(_ path: String, maximumBytes: Int) throws(TreeError) -> [UInt8] {
    try FileSystem.readFile(path, maximumBytes: maximumBytes)
  }

  package func writeNew(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(TreeError) {
    try FileSystem.writeNewFile(path, bytes, mode: mode)
  }

  package func rename(_ path: String, to name: String) throws(TreeError) { try FileSystem.rename(path, to: name) }

  package func remove(_ path: String) throws(TreeError) { try FileSystem.remove(path) }

  package func makeFolder(_ path: String, mode: UInt32) throws(TreeError) -> Bool {
    try FileSystem.makeDirectory(path, mode: mode)
  }

  package func syncFolder(_ path: String) throws(TreeError) { try FileSystem.syncDirectory(path) }

  package func pause(milliseconds: UInt32) { FileSystem.pause(milliseconds: milliseconds) }
}
