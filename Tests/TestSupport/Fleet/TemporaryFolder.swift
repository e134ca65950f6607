import Foundation

/// A folder that goes with the object; in memory where the system has a place for that.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    let shared = URL(fileURLWithPath: "/dev/shm")
    let isThere = FileManager.default.isWritableFile(atPath: shared.path)
    let parent = isThere ? shared : FileManager.default.temporaryDirectory
    let folder = parent.appendingPathComponent("offlinetree-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.path
  }

  deinit {
    // What cannot be removed from a temporary place is left to the system.
    try? FileManager.default.removeItem(atPath: path)
  }

  package func copy(_ source: String, to target: String) throws {
    let url = URL(fileURLWithPath: target)
    if FileManager.default.fileExists(atPath: target) { try FileManager.default.removeItem(at: url) }
    try FileManager.default.copyItem(atPath: source, toPath: target)
  }

  /// Writes the contents of the files of one folder over those of another, whose files stay the same files.
  package func overwrite(_ target: String, with source: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: source) {
      let (from, to) = ("\(source)/\(name)", "\(target)/\(name)")
      if (try? FileManager.default.contentsOfDirectory(atPath: from)) != nil {
        try overwrite(to, with: from)
        continue
      }
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: to))
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: try Data(contentsOf: URL(fileURLWithPath: from)))
      try handle.close()
    }
  }
}
