internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A folder that is removed with everything in it when the object goes.
final class TemporaryFolder: Sendable {
  let path: String
  private let keeps: Bool

  /// - Parameter inMemory: in /dev/shm where there is one.
  /// - Throws: `inputOutput` or `full`.
  init(inMemory: Bool = false, keeps: Bool = false) throws(TreeError) {
    self.keeps = keeps
    let memory = unsafe access("/dev/shm", W_OK)
    let parent = inMemory && memory == 0 ? "/dev/shm" : environmentVariable("TMPDIR") ?? "/tmp"
    path = "\(parent)/\(Program.name).\(hexadecimal(Environment.system.randomBytes(8)))"
    try TemporaryFolder.make(path)
  }

  static func make(_ path: String) throws(TreeError) {
    guard unsafe mkdir(path, 0o700) == 0 else { throw systemError("cannot make the folder \(path)") }
  }

  deinit {
    if !keeps { TemporaryFolder.remove(path) }
  }

  /// Removes a file, or a folder and everything in it, without following links. What resists stays.
  static func remove(_ path: String) {
    if unsafe unlink(path) == 0 { return }
    guard let folder = unsafe opendir(path) else { return }
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { remove("\(path)/\(name)") }
    }
    unsafe closedir(folder)
    unsafe rmdir(path)
  }
}
