/// What the first bytes of an image say: what kind it is, and how large.
///
/// Nothing is decoded: that the rest is an image as well is for whoever shows it to find out.
public struct ImageHeader: Sendable, Equatable {
  public enum Kind: String, Sendable, CaseIterable {
    case png, jpeg, gif, webp

    /// How the name of such a file ends.
    public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }
  }

  public let kind: Kind
  /// In pixels.
  public let width: Int
  public let height: Int

  /// Bytes that an image may have: 5 MiB.
  public static let byteLimit = 5 << 20
  /// Pixels that a side may have.
  public static let sideLimit = 8_192

  /// - Throws: `invalidArgument` if it is none of the four kinds, `limitExceeded` if it is too large.
  public init(_ bytes: [UInt8]) throws(TreeError) {
    if bytes.count > Self.byteLimit {
      throw TreeError(
        .limitExceeded, "the image has \(bytes.count) bytes, and may have \(Self.byteLimit)",
        advice: "Save it smaller.")
    }
    guard let kind = Self.kind(bytes) else {
      throw TreeError(.invalidArgument, "this is no image that can be kept", advice: "Take a PNG, JPEG, GIF or WebP.")
    }
    let reader = Reader(bytes: bytes)
    let size: (width: Int, height: Int)? =
      switch kind {
      case .png: reader.sizeOfPNG()
      case .jpeg: reader.sizeOfJPEG()
      case .gif: reader.sizeOfGIF()
      case .webp: reader.sizeOfWebP()
      }
    guard let size, size.width > 0, size.height > 0 else {
      throw TreeError(
        .invalidArgument, "the image begins like a \(kind.rawValue) and does not say how large it is",
        advice: "Open it in another program, and save it anew.")
    }
    if max(size.width, size.height) > Self.sideLimit {
      throw TreeError(
        .limitExceeded, "the image has \(size.width) × \(size.height) pixels, and a side may have \(Self.sideLimit)",
        advice: "Make it smaller.")
    }
    (self.kind, width, height) = (kind, size.width, size.height)
  }

  private static func kind(_ bytes: [UInt8]) -> Kind? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
    if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) { return .gif }
    return bytes.starts(with: "RIFF".utf8) && bytes.dropFirst(8).starts(with: "WEBP".utf8) ? .webp : nil
  }
}

extension ImageHeader {
  /// Reads numbers anywhere in the bytes; nil beyond their end.
  private struct Reader {
    let bytes: [UInt8]

    private func big(_ place: Int, _ count: Int) -> Int? {
      guard place >= 0, place + count <= bytes.count else { return nil }
      return bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }

    private func little(_ place: Int, _ count: Int) -> Int? {
      guard place >= 0, place + count <= bytes.count else { return nil }
      return bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private func isText(_ text: StaticString, at place: Int) -> Bool {
      bytes.dropFirst(place).starts(with: "\(text)".utf8)
    }

    /// The chunk IHDR comes first, and has 13 bytes.
    func sizeOfPNG() -> (Int, Int)? {
      guard big(8, 4) == 13, isText("IHDR", at: 12), let width = big(16, 4), let height = big(20, 4) else { return nil }
      return (width, height)
    }

    func sizeOfGIF() -> (Int, Int)? {
      guard let width = little(6, 2), let height = little(8, 2) else { return nil }
      return (width, height)
    }

    /// Goes from segment to segment until one that begins a frame.
    func sizeOfJPEG() -> (Int, Int)? {
      var place = 2
      while let mark = big(place, 1), mark == 0xFF, let kind = big(place + 1, 1) {
        switch kind {
        case 0xFF: place += 1
        case 0x01, 0xD0...0xD8: place += 2
        case 0xC0...0xCF where kind != 0xC4 && kind != 0xC8 && kind != 0xCC:
          guard let height = big(place + 5, 2), let width = big(place + 7, 2) else { return nil }
          return (width, height)
        case 0xC4, 0xC8, 0xCC, 0xDB...0xFE:
          guard let length = big(place + 2, 2), length >= 2 else { return nil }
          place += 2 + length
        default: return nil
        }
      }
      return nil
    }

    /// One of three kinds of first chunk.
    func sizeOfWebP() -> (Int, Int)? {
      if isText("VP8X", at: 12), let width = little(24, 3), let height = little(27, 3) {
        return (width + 1, height + 1)
      }
      if isText("VP8L", at: 12), big(20, 1) == 0x2F, let bits = little(21, 4) {
        return (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
      }
      guard isText("VP8 ", at: 12), big(23, 3) == 0x9D012A, let width = little(26, 2), let height = little(28, 2)
      else { return nil }
      return (width & 0x3FFF, height & 0x3FFF)
    }
  }
}
