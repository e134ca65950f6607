internal import Foundation

/// A folder that goes with the last reference.
final class TemporaryFolder {
  let path: String

  init() throws {
    let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    path = "\(parent)/offlinetree-benchmarks-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func makeFolder(_ name: String) throws -> String {
    let folder = "\(path)/\(name)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    return folder
  }

  /// Copies a file or a folder with what is in it, in place of what was there.
  static func copy(_ source: String, to target: String) throws {
    try remove(target)
    try FileManager.default.copyItem(atPath: source, toPath: target)
  }

  static func remove(_ path: String) throws {
    if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
  }
}
