import OfflineTree
import Replicator

extension FuzzTarget {
  /// An invite's line, or the bytes behind it with a check that fits.
  static let invite = FuzzTarget(
    name: "invite", maximumBytes: 9_000,
    memory: { 64 * $0 + 65_536 },
    seeds: {
      let lines = [[], ["tcp [::1]:4321", "tcp example.org:80"]].map(line(addresses:))
      return [
        Seed("line", Array("0\(lines[0])".utf8)), Seed("line-with-addresses", Array("0\(lines[1])".utf8)),
        Seed("content", [1] + content(of: lines[1])),
      ]
    },
    run: { input throws(FuzzFailure) in
      var input = FuzzInput(input)
      let isContent = input.choice() & 1 == 1
      let text = isContent ? line(of: Array(input.rest)) : String(decoding: input.rest, as: UTF8.self)
      guard let invite = attempt({ () throws(TreeError) in try Invite(parsing: text) }) else { return }
      let again = attempt { () throws(TreeError) in try Invite(parsing: invite.line) }
      try require(again?.line == invite.line, "an invite does not read what it writes")
      try require(!isContent || invite.line == text, "an invite was read that nobody writes so")
      for address in invite.addresses { try checkAddress(address) }
    })

  static let recoveryCode = FuzzTarget(
    name: "recovery-code", maximumBytes: 256,
    memory: { 16 * $0 + 65_536 },
    seeds: {
      [
        Seed("zeros", Array("00000-00000-00000-00000-00000-00".utf8)),
        Seed("typed", Array("ooooo-iilll 00000 00000 00000 0w".utf8)),
      ]
    },
    run: { bytes throws(FuzzFailure) in
      let text = String(decoding: bytes, as: UTF8.self)
      guard let code = attempt({ () throws(TreeError) in try RecoveryCode(parsing: text) }) else { return }
      let again = attempt { () throws(TreeError) in try RecoveryCode(parsing: code.text) }
      try require(again?.publicKey == code.publicKey, "a recovery code does not read what it writes")
    })

  private static func checkAddress(_ text: String) throws(FuzzFailure) {
    guard let address = attempt({ () throws(TreeError) in try RemoteAddress(parsing: text) }) else { return }
    let again = attempt { () throws(TreeError) in try RemoteAddress(parsing: address.description) }
    try require(again == address, "an address does not read what it writes")
  }

  private static let start = "offlinetree1:"

  private static func line(of content: [UInt8]) -> String {
    start + Base64URL.encode(content + Sodium.hash16(content).bytes.prefix(4))
  }

  private static func content(of line: String) -> [UInt8] {
    Array(Base64URL.decode(line.utf8.dropFirst(start.utf8.count))?.bytes.dropLast(4) ?? [])
  }

  private static func line(addresses: [String]) -> String {
    var (seed, key) = ([UInt8](32..<64), [UInt8](64..<96))
    let lockedSeed = Secret(&seed)
    let lockedKey = Secret(&key)
    do throws(TreeError) {
      return try Invite(
        spaceID: FuzzSpace.space, seed: lockedSeed, epochKey: lockedKey,
        registration: .init(log: FuzzSpace.log, seq: 300, hash: Bytes16(112..<128)), addresses: addresses
      ).line
    } catch {
      fatalError("an invite cannot be made: \(error)")
    }
  }
}
