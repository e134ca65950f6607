/// A password: bytes in locked memory that are never a text, and are wiped when nobody needs them any more.
///
/// Text that looks the same is the same password, whatever keyboard it came from (Unicode's form NFC).
public final class Password: Sendable {
  /// UTF-8 bytes that a new password has.
  public static let lengths = 8...1_024

  package let secret: Secret

  /// Takes over the UTF-8 bytes as they were typed, without a line's end, and wipes them.
  ///
  /// - Throws: `weakPassword` if they are too many, or are not UTF-8. Whether a password is good enough for a new
  ///   account is asked where one is made.
  public init(_ bytes: inout [UInt8]) throws(TreeError) {
    defer { Sodium.wipe(&bytes) }
    guard bytes.count <= Self.lengths.upperBound else { throw Self.tooLong }
    if bytes.allSatisfy({ $0 < 0x80 }) {
      secret = Secret(&bytes)
      return
    }
    guard var text = String(validating: bytes, as: UTF8.self) else {
      throw TreeError(.weakPassword, "the password is not UTF-8 text", advice: "Choose another one.")
    }
    var normal: [UInt8] = []
    // Never moves, and so leaves no copy behind: NFC is at most three times as long.
    normal.reserveCapacity(3 * bytes.count)
    text._withNFCCodeUnits { normal.append($0) }
    Self.wipe(&text)
    if normal.count > Self.lengths.upperBound {
      Sodium.wipe(&normal)
      throw Self.tooLong
    }
    secret = Secret(&normal)
  }

  private static let tooLong = TreeError(
    .weakPassword, "the password is longer than \(lengths.upperBound) bytes", advice: "Choose a shorter one.")

  /// Overwrites the storage of a text that nobody else holds.
  private static func wipe(_ text: inout String) {
    text.withUTF8 { bytes in unsafe Sodium.wipe(UnsafeRawBufferPointer(bytes)) }
    text = ""
  }

  /// Refuses what others guess first.
  ///
  /// - Parameter known: What everybody knows of the account: the email, the username.
  /// - Throws: `weakPassword`.
  package func requireStrong(for known: [String]) throws(TreeError) {
    if secret.count < Self.lengths.lowerBound {
      throw Self.weak("has \(secret.count) bytes, and needs \(Self.lengths.lowerBound)")
    }
    var lower = secret.copyBytes()
    for index in lower.indices { lower[index] = Self.lowered(lower[index]) }
    defer { Sodium.wipe(&lower) }
    if lower.allSatisfy({ $0 == lower[0] }) { throw Self.weak("is one character over and over") }
    if CommonPasswords.all.contains(where: { $0.utf8.elementsEqual(lower) }) {
      throw Self.weak("is one of those that are tried first")
    }
    for text in known where text.utf8.map(Self.lowered) == lower {
      throw Self.weak("is what everybody knows of the account")
    }
  }

  private static func weak(_ problem: String) -> TreeError {
    TreeError(
      .weakPassword, "the password \(problem)",
      advice: "Members of the space can guess at it for ever: choose four words at random, or let a program choose it.")
  }

  private static func lowered(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
