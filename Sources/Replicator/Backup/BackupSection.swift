internal import OfflineTree

/// One sealed piece of a backup. The layout is in docs/format.md.
struct BackupSection: Sendable {
  enum Kind: UInt8, Sendable {
    case about = 1
    case changes = 2
    case image = 3
    case settings = 4
    case end = 5
  }

  /// What stands before the sealed bytes, and can be read without a key.
  struct Head: Sendable {
    let kind: Kind
    let number: UInt64
    let sealedCount: Int
    let nonce: [UInt8]
    /// The bytes that are authenticated with the content.
    let additional: [UInt8]

    static let byteCount = 48
    static let magic = Array("OTBS".utf8)
    /// Of sealed bytes, tag included: a section of changes and what zstd may add.
    static let limit = 42 << 20

    /// Nil for bytes that are no head, or are cut off.
    init?(_ bytes: [UInt8]) {
      guard bytes.count >= Self.byteCount, bytes.starts(with: Self.magic), let kind = Kind(rawValue: bytes[4]),
        bytes[5...7].allSatisfy({ $0 == 0 })
      else { return nil }
      self.kind = kind
      number = Self.u64(bytes[8..<16])
      let count = Self.u64(bytes[16..<24])
      guard count >= UInt64(Sodium.tagBytes), count <= UInt64(Self.limit) else { return nil }
      sealedCount = Int(count)
      nonce = Array(bytes[24..<48])
      additional = Array(bytes[..<24])
    }

    private static func u64(_ bytes: ArraySlice<UInt8>) -> UInt64 {
      bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  /// The bytes of a section.
  static func seal(
    _ kind: Kind, number: UInt64, _ content: [UInt8], _ header: BackupHeader, _ keys: BackupKeys, random: [UInt8]
  ) -> [UInt8] {
    var writer = ByteWriter(capacity: Head.byteCount)
    writer.append(Head.magic)
    writer.append([kind.rawValue, 0, 0, 0])
    writer.u64(number)
    writer.u64(UInt64(content.count + Sodium.tagBytes))
    let additional = header.encoded + writer.bytes
    let nonce = keys.nonce(random: random, number: number, content)
    writer.append(nonce)
    return writer.bytes + keys.seal(content, nonce: nonce, additional: additional)
  }

  /// The content, or nil if a bit of it differs, or the key is another.
  static func open(_ head: Head, _ sealed: [UInt8], _ header: BackupHeader, _ keys: BackupKeys) -> [UInt8]? {
    keys.open(sealed, nonce: head.nonce, additional: header.encoded + head.additional)
  }
}
