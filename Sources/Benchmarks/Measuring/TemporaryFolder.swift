internal import Foundation

/// A folder that goes with the last reference.
final class TemporaryFolder {
  let path: String

  init() throws {
    let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    path = "\(parent)/offlinetree-benchmarks-\(UUID().uuidString)"
    try TemporaryFolder.make(path)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  static func make(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  /// Copies a file, or a folder with what is in it, to a place where nothing is.
  static func copy(_ source: String, to target: String) throws {
    try FileManager.default.copyItem(atPath: source, toPath: target)
  }

  static func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }
}
