import Testing

/// The pages of the DocC catalogue show code that is built.
@Suite struct CatalogueTests {
  private static let catalogue = "Sources/OfflineTree/OfflineTree.docc"

  @Test func `every sample of the catalogue is built and run by the tests`() throws {
    var built: Set<String> = []
    for file in try Repository.sources(in: "Tests/OfflineTreeTests/Samples") + Repository.sources(in: "Examples") {
      built.formUnion(Self.samples(in: file.text))
    }
    var shown: Set<String> = []
    for page in try Repository.paths(in: Self.catalogue, extension: "md") {
      for block in Self.blocks(in: try Repository.text(page)) {
        shown.insert(block)
        #expect(built.contains(block), "\(page) shows code that no file of Samples or Examples has:\n\(block)")
      }
    }
    #expect(shown.count > 15)
    #expect(built.subtracting(shown) == [], "samples that no page shows")
  }

  @Test func `the catalogue has a page for each subject`() throws {
    let pages = try Repository.paths(in: Self.catalogue, extension: "md").map { $0.split(separator: "/").last ?? "" }
    let expected: Set<Substring> = [
      "OfflineTree.md", "GettingStarted.md", "ComingFromFirebase.md", "Merging.md", "Observing.md", "Querying.md",
      "Models.md", "StoringFiles.md",
    ]
    #expect(expected.isSubset(of: pages))
  }

  /// What stands between `// sample` and `// end`, without its indentation.
  private static func samples(in text: String) -> [String] {
    var samples: [String] = []
    var lines: [Substring]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.drop { $0 == " " }
      if words == "// sample" {
        lines = []
      } else if words == "// end" {
        samples.append(unindented(lines ?? []))
        lines = nil
      } else {
        lines?.append(line)
      }
    }
    return samples
  }

  private static func unindented(_ lines: [Substring]) -> String {
    let margin = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { $0.dropFirst(margin) }.joined(separator: "\n")
  }

  /// The blocks of Swift in a page.
  private static func blocks(in page: String) -> [String] {
    page.split(separator: "```swift\n").dropFirst().map { block in
      let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
      return lines.prefix { $0 != "```" }.joined(separator: "\n")
    }
  }
}
