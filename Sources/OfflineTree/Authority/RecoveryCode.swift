/// A code for paper, shown once: what makes a device an owner of its space when the owners' devices are lost, or gives a
/// person's account back when the password is.
///
/// The code gives an Ed25519 key; the space knows only its public half. Bytes: docs/format.md.
public final class RecoveryCode: Sendable {
  /// What a code is for: the same digits give another key for each.
  public enum Purpose: Sendable {
    /// A space that has lost its owners' devices.
    case space
    /// An account whose password is forgotten.
    case account
    /// A backup, which it seals.
    case backup

    fileprivate var seedPrefix: [UInt8] {
      switch self {
      case .space: Array("OT owner recovery 1".utf8)
      case .account: Array("OT account recovery 1".utf8)
      case .backup: Array("OT backup 1".utf8)
      }
    }
  }

  /// 130 bits fill 26 digits; the last 6 bits of 17 bytes are zero.
  private static let digits = 26
  private static let byteCount = 17
  private static let group = 5

  private let bits: Secret
  private let key: SigningKey

  /// Draws a new code.
  public convenience init(for purpose: Purpose = .space, environment: Environment = .system) {
    var bits = environment.randomBytes(RecoveryCode.byteCount)
    bits[RecoveryCode.byteCount - 1] &= 0xC0
    self.init(&bits, purpose)
  }

  /// Takes over the bits, and wipes them.
  private init(_ bits: inout [UInt8], _ purpose: Purpose) {
    let prefix = purpose.seedPrefix
    self.bits = Secret(&bits)
    var content = [UInt8](capacity: prefix.count + RecoveryCode.byteCount)
    defer { Sodium.wipe(&content) }
    content += prefix
    content.append(self.bits)
    key = SigningKey(seed: Sodium.secretHash32(content))
  }

  /// Reads a code as people type it: in either case, grouped or not, with O for 0 and I or L for 1.
  ///
  /// - Throws: `invalidArgument` if it is cut off, too long or mistyped.
  public convenience init(parsing text: String, for purpose: Purpose = .space) throws(TreeError) {
    var bytes = Array(text.utf8)
    defer { Sodium.wipe(&bytes) }
    try self.init(parsing: bytes, for: purpose)
  }

  /// The same from UTF-8 bytes, which the caller wipes.
  package convenience init(parsing text: borrowing [UInt8], for purpose: Purpose = .space) throws(TreeError) {
    var typed = [UInt8](capacity: RecoveryCode.digits + 2)
    for index in text.indices {
      let byte = text[index]
      if byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ") || (9...13).contains(byte) { continue }
      // A code is short: what comes beyond it is not collected.
      if typed.count <= RecoveryCode.digits + 1 { typed.append(CrockfordBase32.canonical(byte)) }
    }
    defer { Sodium.wipe(&typed) }
    guard typed.count == RecoveryCode.digits + 1 else {
      let problem = typed.count > RecoveryCode.digits ? "too long" : "cut off: it has \(typed.count)"
      throw RecoveryCode.error("is \(problem); a code has \(RecoveryCode.digits + 1) letters and digits")
    }
    let last = typed.removeLast()
    guard let check = CrockfordBase32.check(typed), var bits = CrockfordBase32.decode(typed) else {
      throw RecoveryCode.error("holds a character that no code has")
    }
    guard check == last else {
      throw RecoveryCode.error("is mistyped: its last character says so")
    }
    self.init(&bits, purpose)
  }

  /// The code for people: 26 digits and a check, in groups of five. A secret: show it once, store it nowhere.
  public var text: String {
    var open = bits.copyBytes()
    var digits = CrockfordBase32.encode(open, count: RecoveryCode.digits)
    Sodium.wipe(&open)
    digits += [CrockfordBase32.check(digits)].compactMap { $0 }
    defer { Sodium.wipe(&digits) }
    return stride(from: 0, to: digits.count, by: RecoveryCode.group).map { start in
      String(decoding: digits[start..<min(start + RecoveryCode.group, digits.count)], as: UTF8.self)
    }.joined(separator: "-")
  }

  /// What the space's genesis record, or the account, holds.
  public var publicKey: Bytes32 { key.publicKey }

  /// The key of 32 bytes that the code of a backup gives, with the backup's salt.
  package func sealingKey(salt: Bytes16) -> Secret {
    let prefix = Purpose.backup.seedPrefix + salt.bytes
    var content = [UInt8](capacity: prefix.count + Self.byteCount)
    defer { Sodium.wipe(&content) }
    content += prefix
    content.append(bits)
    return Sodium.secretHash32(content)
  }

  package func sign(_ message: [UInt8]) -> Signature { key.sign(message) }

  private static func error(_ problem: String) -> TreeError {
    TreeError(.invalidArgument, "the recovery code \(problem)", advice: "Type it as it stands on the paper.")
  }
}
