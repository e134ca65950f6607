import Foundation

/// The files of this repository, as they lie around the tests.
enum Repository {
  struct File {
    /// From the root: `Sources/OfflineTree/Tree/Database.swift`.
    let path: String
    let text: String
    let words: [String]
  }

  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// Paths of the files in a folder and below, with that extension, sorted.
  /// - Throws: If there is none: a test that looks at nothing shows nothing.
  static func paths(in folder: String, extension suffix: String) throws -> [String] {
    let place = root.appending(path: folder).resolvingSymlinksInPath().path
    let found = try FileManager.default.subpathsOfDirectory(atPath: place).filter { $0.hasSuffix("." + suffix) }
    if found.isEmpty { throw CocoaError(.fileNoSuchFile) }
    return found.map { "\(folder)/\($0)" }.sorted()
  }

  static func sources(in folder: String) throws -> [File] {
    try paths(in: folder, extension: "swift").map { path in
      let text = try text(path)
      return File(path: path, text: text, words: SourceWords.of(text))
    }
  }
}

extension Repository.File {
  /// The modules that it imports.
  var imports: [String] {
    words.indices.dropLast().filter { words[$0] == "import" }.map { words[$0 + 1] }
  }
}
