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
    let folders = ["Sources", "Tests", "Fuzzing", "docs", "fixtures", "script", ".ci"] + ArchitectureTests.folders
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

  @Test func `the rules of a new space of jokes are those of the fixture`() throws {
    let source = try Repository.text("Sources/jokes-sync/Jokes/JokesRules.swift")
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    let quotes = lines.indices.filter { lines[$0].hasSuffix("\"\"\"") }
    try #require(quotes.count == 2)
    let shipped = lines[(quotes[0] + 1)..<quotes[1]].map { $0.dropFirst(4) }.joined(separator: "\n")
    #expect(try Repository.text("fixtures/rules/jokes.rules") == shipped)
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

  @Test func `every row of the museum has a test of that name`() throws {
    let rows = try Repository.text("docs/museum.md").split(separator: "\n").filter { line in
      line.dropFirst(2).prefix { $0 != " " }.allSatisfy(\.isNumber) && line.hasPrefix("| ")
    }
    #expect(rows.count == 32)
    let tests = try Repository.sources(in: "Tests/ReplicatorTests/Museum").map(\.text).joined()
    let processes = try Repository.text("script/e2e")
    for row in rows {
      let name = row.split(separator: "`").dropFirst().first.map(String.init) ?? ""
      let inPython = "def \(name.replacing(" ", with: "_"))("
      #expect(tests.contains("@Test func `\(name)`(") || processes.contains(inPython), "\(row)")
    }
  }

  @Test func `the worked example of docs/format.md is what the code makes`() throws {
    let genesis = try Example.genesis()
    let space = genesis.spaceID
    let log = Introduction.logID(space: space, deviceKey: genesis.founder, random: .zero)
    let changes = [try Example.introduction(genesis), try Example.write(), try Example.registration()]
    var hashes: [Bytes32] = []
    for (number, change) in changes.enumerated() {
      hashes.append(
        Change.hash(log: log, seq: UInt64(number), previous: hashes.last ?? space, body: change.body))
    }
    let clock = VectorClock([LogPosition(log: log, seq: 2, hash: hashes[2])])
    let key = ElementBinding.key(
      space: space, device: genesis.founder, milliseconds: Int64(Example.start) + 3_000, nonce: 0x0123_4567_89AB_CDEF)
    let head = ChangeRun.signedHead(log: log, seq: 2, head: hashes[2], space: space)
    let signature = try Example.signingKey().sign(head)
    var epochKey = Array(UInt8(0)..<32)
    let epoch = EpochKeys(Secret(&epochKey), space: space)

    let document = try Repository.text("docs/format.md")
    let texts = [space.description, log.description, clock.digest.description, key.text, epoch.id.description]
    for text in texts + hashes.map(\.description) { #expect(document.contains(text), "\(text)") }
    #expect(genesis.encoded.count == 149 && changes.map(\.body.count) == [254, 58, 57])
    let digits = Example.digits(in: document)
    #expect(digits.contains(hexadecimal(genesis.encoded)))
    #expect(digits.contains(hexadecimal(changes[1].body)))
    #expect(digits.contains(hexadecimal(changes[2].body)))
    #expect(digits.contains(hexadecimal(head)), "\(hexadecimal(head))")
    #expect(digits.contains(hexadecimal(signature.bytes)), "\(hexadecimal(signature.bytes))")
    // The record is not written out again in change 0.
    #expect(digits.contains(hexadecimal(changes[0].body.dropLast(149))))
  }

  private enum Example {
    static let start: UInt64 = 1_700_000_000_000

    private static func key(_ text: String) throws -> Bytes32 {
      Bytes32(try #require(bytes(fromHexadecimal: text)))
    }

    /// Of RFC 8032's first test vector.
    static func signingKey() throws -> SigningKey {
      var seed = try key("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60").bytes
      return SigningKey(seed: Secret(&seed))
    }

    /// The recovery key is the key of RFC 8032's second vector.
    static func genesis() throws -> Genesis {
      try Genesis(
        founder: signingKey().publicKey,
        recoveryKey: key("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"), name: "jokes",
        addOnlySets: [Genesis.AddOnlySet(path: try Path("jokes"), keys: .own)],
        flags: [Genesis.Flag(counter: "jokes/*/votes", template: "users/$voter/votes/*")], nonce: Bytes32(0..<32))
    }

    /// The box key is Alice's of RFC 7748.
    static func introduction(_ genesis: Genesis) throws -> Change {
      let box = try key("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
      return Change(
        parents: [], stamp: Stamp(milliseconds: start, counter: 0), wallTime: Int64(start),
        introduction: Introduction(
          random: .zero, deviceKey: genesis.founder, boxKey: box, deviceName: "anna", standing: .genesis(genesis)))
    }

    static func write() throws -> Change {
      var form = NormalForm()
      form.append(.clear(PathKey(try Path("settings"))))
      form.append(.put(PathKey(try Path("settings/theme")), .string("dark")))
      form.append(.increment(PathKey(try Path("visits")), by: .int(1)))
      return change(seconds: 1, [], form.operations)
    }

    /// The invite's key is the key of RFC 8032's third vector.
    static func registration() throws -> Change {
      let invite = try key("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025")
      let terms = ControlOperation.InviteTerms(publicKey: invite, role: .member, notAfter: start + 604_800_000)
      return change(seconds: 2, [.invite(terms)], [])
    }

    private static func change(seconds: UInt64, _ controls: [ControlOperation], _ operations: [Operation]) -> Change {
      let time = start + 1_000 * seconds
      return Change(
        parents: [], stamp: Stamp(milliseconds: time, counter: 0), wallTime: Int64(time), controls: controls,
        operations: operations)
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
