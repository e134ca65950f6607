import Testing

/// docs/security.md names tests that exist.
@Suite struct SecurityDocumentTests {
  @Test func `every test that the document names is there`() throws {
    // A name may go over the end of a line.
    let text = try Repository.text("docs/security.md").split { $0 == "\n" || $0 == " " }.joined(separator: " ")
    let quoted = text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    let names = quoted.filter { $0.split(separator: " ").count > 2 && !$0.contains("--") }
    #expect(names.count > 40)
    let tests = try Repository.sources(in: "Tests").map(\.text)
    #expect(names.filter { name in !tests.contains { $0.contains("func `\(name)`") } } == [])
  }
}
