import TestSupport
import Testing

@testable import OfflineTree

/// Lines were worked out from docs/format.md by another program (Python's hashlib and cryptography).
@Suite struct InviteTests {
  static let line =
    "offlinetree1:AQABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj9AQUJDREVGR0hJ"
    + "SktMTU5PUFFSU1RVVldYWVpbXF1eX2BhYmNkZWZnaGlqa2xtbm-sAnBxcnN0dXZ3eHl6e3x9fn8CFHRjcCAxOTIuMTY4LjEuNzo0MzIxDnRjcCBb"
    + "OjoxXTo0MzIxcbvpGg"

  private static func invite(
    seq: UInt64 = 300, addresses: [String] = ["tcp 192.168.1.7:4321", "tcp [::1]:4321"]
  ) throws -> Invite {
    var (seed, key) = ([UInt8](32..<64), [UInt8](64..<96))
    return try Invite(
      spaceID: Bytes32(0..<32), seed: Secret(&seed), epochKey: Secret(&key),
      registration: .init(log: Bytes16(96..<112), seq: seq, hash: Bytes16(112..<128)), addresses: addresses)
  }

  /// An invite's line over these bytes, with a check that fits.
  private static func line(of content: [UInt8]) -> String {
    "offlinetree1:" + Base64URL.encode(content + Sodium.hash16(content).bytes.prefix(4))
  }

  private static func error(_ text: String) -> TreeError? {
    do throws(TreeError) {
      _ = try Invite(parsing: text)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a line has the bytes that the format says`() throws {
    #expect(try Self.invite().line == Self.line)
  }

  @Test func `what was written is read`() throws {
    let invite = try Invite(parsing: Self.line)
    #expect(invite.spaceID == Bytes32(0..<32))
    #expect(invite.seed.copyBytes() == Array(32..<64) && invite.epochKey.copyBytes() == Array(64..<96))
    #expect(invite.registration == .init(log: Bytes16(96..<112), seq: 300, hash: Bytes16(112..<128)))
    #expect(invite.addresses == ["tcp 192.168.1.7:4321", "tcp [::1]:4321"])
    #expect(invite.line == Self.line)
  }

  @Test func `the key comes from the seed, and its signatures count`() throws {
    let invite = try Self.invite()
    #expect(invite.publicKey.description == "9f28ad0cca841aff18a1fadd88a204a2bf4737f81d043d82eb7cfceef4c5ee64")
    let message = SignaturePurpose.join.message(invite.spaceID, [1, 2, 3])
    #expect(Sodium.isValid(invite.sign(message), of: message, byUnknown: invite.publicKey))
    #expect(!Sodium.isValid(invite.sign(message), of: message + [0], byUnknown: invite.publicKey))
  }

  @Test(arguments: [[], ["tcp a:1"], (1...8).map { "tcp " + String(repeating: "h", count: 250) + ":\($0)" }])
  func `up to 8 addresses of up to 256 bytes travel`(addresses: [String]) throws {
    let line = try Self.invite(addresses: addresses).line
    // A terminal in its usual mode takes lines of 4,095 bytes.
    #expect(line.utf8.count < 4_095)
    #expect(try Invite(parsing: line).addresses == addresses)
  }

  @Test(
    arguments: [
      (Array(repeating: "tcp a:1", count: 9), TreeError.Code.limitExceeded),
      ([String(repeating: "h", count: 257)], .limitExceeded), ([""], .invalidArgument),
      (["tcp a:1", "tcp b:1", "tcp a:1"], .invalidArgument),
    ])
  func `more, longer or repeated addresses are refused`(addresses: [String], code: TreeError.Code) {
    #expect(throws: TreeError.self) { try Self.invite(addresses: addresses) }
    do throws(TreeError) {
      var (seed, key) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
      _ = try Invite(
        spaceID: .zero, seed: Secret(&seed), epochKey: Secret(&key),
        registration: .init(log: .zero, seq: 0, hash: .zero), addresses: addresses)
      Issue.record("it was taken")
    } catch {
      #expect(error.code == code)
    }
  }

  @Test func `space around a line and breaks within it do not matter`() throws {
    let broken = " \t\r\n" + Self.line.prefix(100) + "\r\n" + Self.line.dropFirst(100).prefix(7) + " \n "
    #expect(try Invite(parsing: broken + Self.line.dropFirst(107) + "\n\n").line == Self.line)
  }

  @Test func `a line that is cut off anywhere says so`() {
    for count in 1..<Self.line.utf8.count {
      let error = Self.error(String(Self.line.prefix(count)))
      #expect(
        error?.code == .invalidArgument && error?.context.contains("cut off") == true,
        "\(count): \(String(describing: error))")
    }
  }

  @Test func `one wrong character anywhere is found`() throws {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    let bytes = Array(Self.line.utf8)
    var random = SeededRandom(seed: 1)
    for place in "offlinetree1:".utf8.count..<bytes.count {
      for other in [digits.randomElement(using: &random)!, UInt8(ascii: "+"), UInt8(ascii: "="), 0x80]
      where other != bytes[place] {
        var wrong = bytes
        wrong[place] = other
        let error = Self.error(String(decoding: wrong, as: UTF8.self))
        #expect(error?.code == .invalidArgument, "\(place): \(other)")
        // Never the secret in the words.
        #expect(error?.description.contains("ICEiIyQl") == false)
      }
    }
  }

  @Test(
    arguments: [
      ("", "no invite"), ("hello", "no invite"), ("Offlinetree1:AQAB", "no invite"), ("offlinetree", "cut off"),
      ("offlinetree:AQAB", "begin"), ("offlinetree1;AQAB", "begin"), ("offlinetree1:", "cut off"),
      (String(repeating: "ab", count: 32), "id of a space"), (line + "AAAA", "mistyped"), (line + "=", "character"),
    ])
  func `what is no invite is told from what is a damaged one`(text: String, words: String) {
    let error = Self.error(text)
    #expect(error?.code == .invalidArgument && error?.context.contains(words) == true, "\(String(describing: error))")
  }

  @Test(arguments: ["offlinetree2:AQAB", "offlinetree0:AQAB", "offlinetree10:" + line.dropFirst(13)])
  func `another version is named as such`(text: String) {
    #expect(Self.error(text)?.code == .unsupportedVersion)
  }

  @Test(arguments: [0, 2, 255] as [UInt8])
  func `another kind is named as such`(kind: UInt8) throws {
    let content = try #require(Base64URL.decode(Self.line.utf8.dropFirst(13))).bytes.dropLast(4)
    #expect(Self.error(Self.line(of: [1] + content.dropFirst())) == nil)
    #expect(Self.error(Self.line(of: [kind] + content.dropFirst()))?.code == .unsupportedVersion)
  }

  @Test func `bytes that no writer writes are refused though their check fits`() throws {
    let content = Array(try #require(Base64URL.decode(Self.line.utf8.dropFirst(13))).bytes.dropLast(4))
    let fixed = Array(content[..<113])
    let hash = [UInt8](repeating: 7, count: 16)
    let cases: [[UInt8]] = [
      content + [0],  // a byte too many
      fixed + [0x80, 0x00] + hash + [0],  // a number longer than it has to be
      fixed + [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40] + hash + [0],  // 2^62
      fixed + [1] + hash + [9] + Array(repeating: 0, count: 9),  // too many addresses
      fixed + [1] + hash + [1, 0],  // an empty address
      fixed + [1] + hash + [1, 1, 0xFF],  // not UTF-8
      fixed + [1] + hash + [1, 0xFF, 0x7F] + hash,  // an address longer than the line
      [1], [], fixed,
    ]
    #expect(Self.error(Self.line(of: fixed + [1] + hash + [0])) == nil)
    for bytes in cases { #expect(Self.error(Self.line(of: bytes))?.code == .invalidArgument, "\(hexadecimal(bytes))") }
  }

  @Test func `text beyond any invite is refused unread`() {
    let long = Self.line + String(repeating: " ", count: Limits.inviteLineBytes)
    #expect(Self.error(long)?.code == .limitExceeded)
  }

  @Test(arguments: 0..<50)
  func `arbitrary text is answered with an error`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: .min ... .max, using: &random)
    }
    for text in [
      String(decoding: bytes, as: UTF8.self), Self.line(of: bytes), "offlinetree1:" + Base64URL.encode(bytes),
    ] {
      #expect(Self.error(text) != nil)
    }
  }
}
