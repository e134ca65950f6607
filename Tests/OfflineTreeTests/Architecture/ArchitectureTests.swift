import Testing

/// What docs/architecture.md says of modules, folders and files.
@Suite struct ArchitectureTests {
  /// A folder names only what stands left of it.
  static let folders = [
    "Environment", "Values", "Clocks", "Changes", "Authority", "Storage", "Tree", "Query", "Observation", "Models",
    "Blobs", "Accounts",
  ]

  @Test func `a folder of OfflineTree names only what stands left of it`() throws {
    var violations: [String] = []
    var homes: [String: Set<String>] = [:]
    // A type inside another may have the name of one that stands elsewhere.
    var inner: [String: Set<String>] = [:]
    let files = try Repository.sources(in: "Sources/OfflineTree")
    for file in files {
      let folder = Self.folder(of: file)
      if !Self.folders.contains(folder) { violations.append("\(file.path) is in no folder that has a place") }
      for type in SourceWords.declaredTypes(in: file.words) { homes[type, default: []].insert(folder) }
      for type in SourceWords.innerTypes(in: file.words) { inner[type, default: []].insert(folder) }
    }
    #expect(homes["PathKey"] == ["Values"] && homes["Store"] == ["Storage"] && homes["Database"] == ["Tree"])
    for file in files {
      let allowed = Self.namedBy(Self.folder(of: file))
      for word in Set(file.words).sorted() {
        guard let home = homes[word], home.isDisjoint(with: allowed), allowed.isDisjoint(with: inner[word] ?? [])
        else { continue }
        violations.append("\(file.path) names \(word), which is in \(home.sorted().joined(separator: ", "))")
      }
    }
    #expect(violations == [])
  }

  private static func folder(of file: Repository.File) -> String {
    let parts = file.path.split(separator: "/")
    return parts.count > 3 ? String(parts[2]) : ""
  }

  private static func namedBy(_ folder: String) -> Set<String> {
    // Rows, locks and threads: storage knows nothing of changes.
    if folder == "Storage" { return ["Environment", "Values", "Storage"] }
    guard let place = folders.firstIndex(of: folder) else { return [] }
    return Set(folders[...place])
  }

  static let systemModules: Set = ["Glibc", "Darwin", "Dispatch", "Synchronization"]

  @Test(arguments: [
    ("Sources/OfflineTree", ["CLMDB", "CSodium", "CZstd"]),
    ("Sources/OfflineTreeFoundation", ["OfflineTree", "Foundation", "FoundationEssentials"]),
    ("Sources/Replicator", ["OfflineTree", "CGnuTLS"]),
    ("Sources/jokes-sync", ["OfflineTree", "Replicator", "CProcess", "CQREncode"]),
  ])
  func `a module imports only what is below it`(_ folder: String, _ modules: [String]) throws {
    let allowed = Self.systemModules.union(modules)
    var violations: [String] = []
    var imported: Set<String> = []
    for file in try Repository.sources(in: folder) {
      imported.formUnion(file.imports)
      for module in file.imports where !allowed.contains(module) {
        violations.append("\(file.path) imports \(module)")
      }
    }
    #expect(violations == [])
    #expect(imported.isSuperset(of: modules))
  }

  @Test func `each C library is imported by one folder`() throws {
    let folders = ["CLMDB": "Storage", "CSodium": "Environment", "CGnuTLS": "TLS", "CZstd": "Environment"]
    for file in try Repository.sources(in: "Sources/OfflineTree") + Repository.sources(in: "Sources/Replicator") {
      for module in file.imports {
        guard let folder = folders[module] else { continue }
        #expect(Self.folder(of: file) == folder, "\(file.path)")
      }
    }
  }

  @Test func `no source leaves work for later`() throws {
    // Written so that this file does not hold the words itself.
    let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
    for path in try Repository.paths(in: "Sources", extension: "swift") {
      let text = try Repository.text(path)
      #expect(marks.filter { text.contains($0) } == [], "\(path)")
    }
  }

  @Test func `the examples use what everybody can use`() throws {
    for file in try Repository.sources(in: "Examples") {
      #expect(Set(file.imports).subtracting(["OfflineTree", "Glibc", "Darwin"]) == [], "\(file.path)")
      #expect(!file.text.contains("@testable"), "\(file.path)")
    }
    let lines = try Repository.sources(in: "Examples/FirebaseJokes").map {
      $0.text.utf8.count { $0 == UInt8(ascii: "\n") }
    }
    #expect(lines.reduce(0, +) < 200)
  }

  @Test(arguments: ["Sources", "Tests", "Examples", "Fuzzing"])
  func `every file stays under 320 lines`(_ folder: String) throws {
    for path in try Repository.paths(in: folder, extension: "swift") {
      let lines = try Repository.text(path).utf8.count { $0 == UInt8(ascii: "\n") }
      #expect(lines < 320, "\(path) has \(lines) lines")
    }
  }

  @Test func `words are found in code and interpolations, not in comments and texts`() {
    let text = """
      // Comment
      package struct Outer { struct Inner {} } /* Block */
      let text = "Text \\(Shown("Nested \\(Deep.x)")) Rest"
      private enum Hidden {}
      """
    let words = SourceWords.of(text)
    #expect(Set(words).isSuperset(of: ["Outer", "Inner", "Shown", "Deep", "Hidden"]))
    #expect(Set(words).isDisjoint(with: ["Comment", "Block", "Text", "Nested", "Rest"]))
    #expect(SourceWords.declaredTypes(in: words) == ["Outer"])
  }
}
