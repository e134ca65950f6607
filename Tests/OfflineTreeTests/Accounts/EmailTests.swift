import OfflineTree
import Testing

/// What can be an email and a username: form, which every replica has to see alike.
@Suite struct EmailTests {
  @Test(arguments: [
    ("Ann@Example.ORG", "ann@example.org"), ("  a@b\r\n", "a@b"), ("a+b.c@x.y", "a+b.c@x.y"), ("ä@ö.ü", "ä@ö.ü"),
    ("Ä@b", "Ä@b"), (String(repeating: "a", count: 64) + "@b", String(repeating: "a", count: 64) + "@b"),
  ])
  func `an email is trimmed, and its ASCII letters are lowered`(_ text: String, _ normal: String) throws {
    #expect(try Email.normalized(text).utf8.elementsEqual(normal.utf8))
    #expect(Email.isNormal(normal))
  }

  @Test(arguments: [
    "", "a", "@", "a@", "@b", "a@b@c", "a b@c", "a@b c", "a@.b", "a@b.", "a\u{0}@b", "a\u{2003}@b", "a\u{3000}@b",
    "a\u{202E}@b", String(repeating: "a", count: 65) + "@b", "a@" + String(repeating: "b", count: 253),
  ])
  func `what is no email is refused`(text: String) {
    #expect {
      _ = try Email.normalized(text)
    } throws: { ($0 as? TreeError)?.code == .invalidEmail }
    #expect(!Email.isNormal(text))
  }

  @Test func `upper case is not normal, and longer hosts fit up to the limit`() {
    #expect(!Email.isNormal("A@b"))
    #expect(Email.isNormal("a@" + String(repeating: "b", count: 252)))
  }

  @Test(arguments: ["Ann", "安", "a b", String(repeating: "x", count: 128), "O'Neil <3"])
  func `a username is any short text`(name: String) { #expect(Username.problem(name) == nil) }

  @Test(arguments: [
    "", " ", "\u{2003}\u{3000}", "a\nb", "a\u{1B}b", "a\u{85}b", "a\u{202E}b", "a\u{2066}b", "a\u{FEFF}b",
    String(repeating: "x", count: 129),
  ])
  func `a username is not blank, and changes nothing around it`(name: String) { #expect(Username.problem(name) != nil) }
}
