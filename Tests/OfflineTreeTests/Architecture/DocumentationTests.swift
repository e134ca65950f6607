import Testing

@testable import OfflineTree

/// The documents name files, commands and bytes that exist.
@Suite struct DocumentationTests {
  private static func documents() throws -> [String] {
    ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] + (try Repository.paths(in: "docs", extension: "md"))
  }

  @Test func `files that the documents name exist`() throws {
    var missing: [String] = []
    var count = 0
    for document in try Self.documents() {
      let text = try Repository.text(document)
      for name in Self.names(in: text) {
        count += 1
        if !Repository.exists(name), !Repository.exists("Sources/OfflineTree/\(name)") {
          missing.append("\(document) names \(name)")
        }
      }
      for link in Self.links(in: text) {
        count += 1
        let folder = document.split(separator: "/").dropLast().joined(separator: "/")
        if !Repository.exists("\(folder)/\(link)") { missing.append("\(document) links to \(link)") }
      }
    }
    #expect(count > 50)
    #expect(missing == [])
  }

  @Test func `documents that the sources name exist`() throws {
    for file in try Repository.sources(in: "Sources") {
      for word in Self.pathWords(in: file.text) where word.hasSuffix(".md") {
        #expect(Repository.exists(word), "\(file.path) names \(word)")
      }
    }
  }

  /// Words that look like a path from the root, or from Sources/OfflineTree.
  private static func names(in text: String) -> [String] {
    let folders = ["Sources", "Tests", "docs", "fixtures", "script", ".ci"] + ArchitectureTests.folders
    return pathWords(in: text).filter { word in
      folders.contains { word.hasPrefix("\($0)/") && word.utf8.count > $0.utf8.count + 1 }
    }
  }

  private static func pathWords(in text: String) -> [String] {
    text.split { !$0.isASCII || !($0.isLetter || $0.isNumber || "_+./-".contains($0)) }
      .map { word in
        var word = word
        while let last = word.last, "./".contains(last) { word.removeLast() }
        return String(word)
      }
      // What goes on behind a dash or a plus is a pattern: Replica+….swift.
      .filter { !$0.hasSuffix("+") && !$0.hasSuffix("-") }
  }

  /// Targets of Markdown links within the repository.
  private static func links(in text: String) -> [String] {
    text.split(separator: "](").dropFirst().map { String($0.prefix { $0 != ")" && $0 != "#" }) }
      .filter { !$0.isEmpty && !$0.contains("://") }
  }

  @Test func `every command is in the README`() throws {
    let readme = try Repository.text("README.md")
    let quoted = Set(readme.split(separator: "`").flatMap { $0.split(separator: " ").prefix(1) }.map(String.init))
    var commands: [String] = []
    for path in try Repository.paths(in: "Sources/jokes-sync/Commands", extension: "swift") {
      for piece in try Repository.text(path).split(separator: "= Command(").dropFirst() {
        let parts = piece.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
        if parts.count > 1 { commands.append(String(parts[1])) }
      }
    }
    #expect(commands.count > 20)
    #expect(commands.filter { !quoted.contains($0) } == [])
  }

  @Test func `the worked example of docs/format.md is what the code makes`() throws {
    let founder = Bytes32(try #require(bytes(fromHexadecimal: Example.founder)))
    let genesis = try Genesis(
      founder: founder, recoveryKey: Bytes32(try #require(bytes(fromHexadecimal: Example.recoveryKey))), name: "jokes",
      addOnlySets: [Genesis.AddOnlySet(path: try Path("jokes"), keys: .own)],
      flags: [Genesis.Flag(counter: "jokes/*/votes", template: "users/$voter/votes/*")], nonce: Bytes32(0..<32))
    let space = genesis.spaceID
    let log = Introduction.logID(space: space, deviceKey: founder, random: .zero)
    let start = Stamp(milliseconds: Example.start, counter: 0)
    let first = Change(
      parents: [], stamp: start, wallTime: Int64(Example.start),
      introduction: Introduction(
        random: .zero, deviceKey: founder, boxKey: Bytes32(try #require(bytes(fromHexadecimal: Example.boxKey))),
        deviceName: "anna", standing: .genesis(genesis)))
    let firstHash = Change.hash(log: log, seq: 0, previous: space, body: first.body)
    let second = Change(
      parents: [], stamp: Stamp(milliseconds: Example.start + 1_000, counter: 0),
      wallTime: Int64(Example.start) + 1_000,
      operations: try Example.operations())
    let secondHash = Change.hash(log: log, seq: 1, previous: firstHash, body: second.body)
    let clock = VectorClock([LogPosition(log: log, seq: 1, hash: secondHash)])
    let key = ElementBinding.key(
      space: space, device: founder, milliseconds: Int64(Example.start) + 2_000, nonce: 0x0123_4567_89AB_CDEF)

    let document = try Repository.text("docs/format.md")
    let hashes = [space.description, log.description, firstHash.description, secondHash.description]
    for text in hashes + [clock.digest.description, key.text] { #expect(document.contains(text), "\(text)") }
    #expect(genesis.encoded.count == 115 && first.body.count == 187 && second.body.count == 58)
    let digits = Example.digits(in: document)
    #expect(digits.contains(hexadecimal(genesis.encoded)))
    #expect(digits.contains(hexadecimal(second.body)))
    // The record is not written out again in change 0.
    #expect(digits.contains(hexadecimal(first.body.dropLast(115))))
  }

  private enum Example {
    static let founder = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    static let recoveryKey = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    static let boxKey = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
    static let start: UInt64 = 1_700_000_000_000

    static func operations() throws -> [Operation] {
      var form = NormalForm()
      form.append(.clear(PathKey(try Path("settings"))))
      form.append(.put(PathKey(try Path("settings/theme")), .string("dark")))
      form.append(.increment(PathKey(try Path("visits")), by: .int(1)))
      return form.operations
    }

    /// The hexadecimal digits of the example's blocks, without what is said beside them.
    static func digits(in document: String) -> String {
      let example = document.split(separator: "## A worked example").last ?? ""
      let blocks = example.split(separator: "```").enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
      return blocks.flatMap { $0.split(separator: "\n") }.map(digits(ofLine:)).joined()
    }

    private static func digits(ofLine line: Substring) -> String {
      line.split(separator: " ").prefix { $0.allSatisfy(\.isHexDigit) && $0.count.isMultiple(of: 2) }.joined()
    }
  }
}
