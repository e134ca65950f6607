import Testing

@testable import OfflineTree

@Suite struct PasswordTests {
  @Test(arguments: [
    (PasswordProfile.smallest, "818259b6310026a8e0dbac5d2e6927abcfdb07b32258fac4f61b18b80f929085"),
    (.standard, "aad608b5866cef907f47d5cae529ed01a91301c92c5d5fef46e1a65e394e5742"),
  ])
  func `a password gives the key that another implementation of Argon2id gives`(
    _ profile: PasswordProfile, _ expected: String
  ) throws {
    let password = try Password(text: "correct horse battery staple")
    let key = try Sodium.passwordKey(password.secret, salt: Bytes16(0..<16), profile)
    #expect(hexadecimal(key.copyBytes()) == expected)
  }

  @Test(arguments: [
    ("caf\u{E9} at night", "cafe\u{301} at night"), ("\u{1E9B}\u{323} letters", "\u{17F}\u{323}\u{307} letters"),
    ("\u{AC00}\u{AC01} hangul", "\u{1100}\u{1161}\u{1100}\u{1161}\u{11A8} hangul"),
  ])
  func `texts that look the same are one password`(_ composed: String, _ decomposed: String) throws {
    #expect(!composed.utf8.elementsEqual(decomposed.utf8))
    let one = try Password(text: composed).secret.copyBytes()
    #expect(try Password(text: decomposed).secret.copyBytes() == one)
  }

  @Test(arguments: ["  spaces count ", "MIXED case", "ﬁne ligature", "\u{1F511}\u{1F511}\u{1F511}"])
  func `other texts stay as they were typed`(_ text: String) throws {
    #expect(try Password(text: text).secret.copyBytes() == Array(text.utf8))
  }

  @Test(arguments: [[UInt8]("long enough".utf8), [0xC3, 0x28, 0x41], [UInt8](repeating: 0x61, count: 2_000)])
  func `the bytes are wiped, whatever becomes of them`(_ bytes: [UInt8]) throws {
    var taken = bytes.map { $0 }
    _ = error { try Password(&taken) }
    #expect(taken == [])
  }

  @Test(arguments: [
    "", "seven77", "aaaaaaaaaaaa", "PassWord1", "12345678", "ada@example.org", "ADA@example.ORG", "ada.lovelace",
    "Lady Lovelace", String(repeating: "ab", count: 513),
  ])
  func `what is guessed first is refused, with what to do`(_ text: String) throws {
    let known = ["ada@example.org", "ada.lovelace", "Lady Lovelace"]
    let error = error { try Password(text: text).requireStrong(for: known) }
    #expect(error?.code == .weakPassword)
    #expect(error?.advice.isEmpty == false)
    #expect(text.isEmpty || error?.description.contains(text) == false)
  }

  @Test(arguments: [
    "eight888", "ada@example.org and more", "Password1 is not all", String(repeating: "ab", count: 512),
  ])
  func `what is long and not common is taken`(_ text: String) throws {
    try Password(text: text).requireStrong(for: ["ada@example.org"])
  }

  @Test func `the list of common passwords holds what could be typed otherwise`() {
    #expect(CommonPasswords.all.count > 150)
    for word in CommonPasswords.all {
      #expect(Password.lengths.contains(word.utf8.count), "\(word)")
      #expect(word.utf8.elementsEqual(word.lowercased().utf8), "\(word)")
    }
  }

  @Test func `bytes that are no text are no password`() {
    var bytes: [UInt8] = [0xFF, 0xFE, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46]
    #expect(error { try Password(&bytes) }?.code == .weakPassword)
  }
}
