import Foundation
import OfflineTree

/// The files of a home, read and put back whole: what a backup, a clone and a power loss do to them.
enum HomeFiles {
  private static let data = "data/data.mdb"
  /// LMDB makes its lock file anew, and the publisher's lock holds nothing.
  private static let left = ["data/lock.mdb", "publisher.lock"]

  static func data(of home: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url(home, data))) }

  /// The file stays the same file.
  static func overwriteData(of home: String, with bytes: [UInt8]) throws { try overwrite(home, data, bytes) }

  static func overwriteWake(of home: String, with commit: UInt64) throws {
    try overwrite(home, "wake", Array("\(commit)\n".utf8))
  }

  static func read(_ home: String) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for folder in ["", "data"] {
      let path = folder.isEmpty ? home : "\(home)/\(folder)"
      for name in try FileManager.default.contentsOfDirectory(atPath: path) {
        let file = folder.isEmpty ? name : "\(folder)/\(name)"
        if file == "data" || left.contains(file) { continue }
        files[file] = [UInt8](try Data(contentsOf: url(home, file)))
      }
    }
    return files
  }

  /// Writes the bytes into the files that are there, which stay the same files, so that nothing but what they hold tells.
  static func overwrite(_ home: String, with files: [String: [UInt8]]) throws {
    for (name, bytes) in files { try overwrite(home, name, bytes) }
  }

  /// Makes a home of these files, in the place of what was there.
  static func make(_ home: String, _ files: [String: [UInt8]]) throws {
    try remove(home)
    try FileSystem.makeDirectory(home)
    try FileSystem.makeDirectory("\(home)/data")
    for (name, bytes) in files {
      try Data(bytes).write(to: url(home, name))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(home)/\(name)")
    }
  }

  /// Makes a home of these files where another was, which stays aside.
  static func replace(_ home: String, _ files: [String: [UInt8]]) throws {
    if !FileManager.default.fileExists(atPath: aside(home)), FileManager.default.fileExists(atPath: home) {
      try FileManager.default.moveItem(atPath: home, toPath: aside(home))
    }
    try make(home, files)
  }

  /// Puts a home that stays aside, if there is one, back to its place: its files are the same files as ever, of which a home
  /// takes note.
  static func putBack(_ home: String) throws {
    guard FileManager.default.fileExists(atPath: aside(home)) else { return }
    try remove(home)
    try FileManager.default.moveItem(atPath: aside(home), toPath: home)
  }

  private static func aside(_ home: String) -> String { "\(home).aside" }

  static func remove(_ home: String) throws {
    if FileManager.default.fileExists(atPath: home) { try FileManager.default.removeItem(atPath: home) }
  }

  private static func overwrite(_ home: String, _ name: String, _ bytes: [UInt8]) throws {
    let file = url(home, name)
    guard FileManager.default.fileExists(atPath: file.path) else { return try Data(bytes).write(to: file) }
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: Data(bytes))
    try handle.truncate(atOffset: UInt64(bytes.count))
    try handle.close()
  }

  private static func url(_ home: String, _ name: String) -> URL { URL(fileURLWithPath: "\(home)/\(name)") }
}
