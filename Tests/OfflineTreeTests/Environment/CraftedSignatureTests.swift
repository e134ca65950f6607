import OfflineTree
import TestSupport
import Testing

/// Signatures that nobody made who has the key, or that others could have changed: `fixtures/signatures`.
@Suite struct CraftedSignatureTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let key: Bytes32
    let message: [UInt8]
    let signature: Signature
    let seed: [UInt8]

    static func all(_ name: String) throws -> [Case] {
      let document = try JSON(parsing: try Fixtures.text("signatures/\(name).json"))
      return try (document["cases"]?.elements ?? []).map { item in
        func hexadecimal(_ member: String) throws -> [UInt8] {
          try #require(bytes(fromHexadecimal: item[member]?.text ?? ""))
        }
        let (key, signature) = (try hexadecimal("key"), try hexadecimal("signature"))
        try #require(key.count == 32 && signature.count == Signature.byteCount)
        return Case(
          testDescription: item["name"]?.text ?? "", key: Bytes32(key), message: try hexadecimal("message"),
          signature: Signature(signature), seed: try hexadecimal("seed"))
      }
    }
  }

  @Test(arguments: [("crafted", 82), ("speccheck", 12)])
  func `no crafted signature counts`(file: String, count: Int) throws {
    let cases = try Case.all(file)
    #expect(cases.count == count)
    for item in cases {
      #expect(!Sodium.isValid(item.signature, of: item.message, byUnknown: item.key), "\(item.testDescription)")
    }
  }

  @Test func `the signatures of RFC 8032 count, and are made from its seeds`() throws {
    let cases = try Case.all("rfc8032")
    #expect(cases.count == 4)
    for item in cases {
      #expect(Sodium.isValid(item.signature, of: item.message, byUnknown: item.key), "\(item.testDescription)")
      var seed = item.seed
      let pair = SigningKey(seed: Secret(&seed))
      #expect(pair.publicKey == item.key && pair.sign(item.message) == item.signature, "\(item.testDescription)")
      for index in 0..<Signature.byteCount {
        var bytes = item.signature.bytes
        bytes[index] ^= 1
        #expect(!Sodium.isValid(Signature(bytes), of: item.message, byUnknown: item.key))
      }
      #expect(!Sodium.isValid(item.signature, of: item.message + [0], byUnknown: item.key))
    }
  }

  @Test func `a point counts as a key if it is of the main subgroup, and written in its one way`() throws {
    for item in try Case.all("rfc8032") { #expect(Sodium.isValidPoint(item.key)) }
    let keys = try Case.all("crafted").filter { $0.testDescription.hasPrefix("A ") }.map(\.key)
    #expect(Set(keys).count == 8 + 7 + 6)
    for key in keys { #expect(!Sodium.isValidPoint(key), "\(key)") }
    #expect(!Sodium.isValidPoint(.zero) && !Sodium.isValidPoint(Bytes32(repeatElement(0xFF, count: 32))))
  }
}

/// A library that judges signatures otherwise than every other device is not used.
@Suite struct SelfTestTests {
  private func code(_ accepts: @escaping (Signature, [UInt8], Bytes32) -> Bool) -> TreeError? {
    do throws(TreeError) {
      try Sodium.selfTest(accepts)
      return nil
    } catch {
      return error
    }
  }

  @Test func `the library of this system passes`() throws {
    try Sodium.selfTest()
    try Sodium.requireSound()
  }

  @Test func `one that accepts everything, or nothing, fails, and says what helps`() {
    for answer in [true, false] {
      let error = code { _, _, _ in answer }
      #expect(error?.code == .internal)
      #expect(error?.advice.contains("Update libsodium") == true)
      #expect(error?.context.contains(answer ? "accepts" : "refuses") == true)
    }
  }

  @Test func `one that judges a single vector otherwise fails, whichever it is`() {
    var count = 0
    while true {
      var number = 0
      let error = code { signature, message, key in
        defer { number += 1 }
        let isRight = Sodium.isValid(signature, of: message, byUnknown: key)
        return number == count ? !isRight : isRight
      }
      if number <= count { break }
      #expect(error?.code == .internal, "vector \(count)")
      count += 1
    }
    #expect(count == 7)
  }

  @Test func `one that takes any key fails`() {
    let error = code { Sodium.isValid($0, of: $1, by: $2) }
    #expect(error?.code == .internal)
  }
}
