/// A zstd frame (RFC 8878) written by hand, so that it can say anything.
struct RawFrame {
  enum Block {
    case raw([UInt8])
    /// One byte, repeated.
    case run(UInt8, count: Int)
  }

  var blocks: [Block]
  /// What the frame says its content is; nil if it does not say.
  var contentSize: UInt32?
  /// The byte that says how large a window is needed; nil for a frame whose content is its window.
  var window: UInt8?

  var bytes: [UInt8] {
    var bytes: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    bytes.append((contentSize == nil ? 0 : 0x80) | (window == nil ? 0x20 : 0))
    if let window { bytes.append(window) }
    if let contentSize { bytes += littleEndian(contentSize, 4) }
    for (index, block) in blocks.enumerated() {
      let isLast: UInt32 = index + 1 == blocks.count ? 1 : 0
      switch block {
      case .raw(let content): bytes += littleEndian(isLast | UInt32(content.count) << 3, 3) + content
      case .run(let byte, let count): bytes += littleEndian(isLast | 1 << 1 | UInt32(count) << 3, 3) + [byte]
      }
    }
    return bytes
  }

  /// A frame of another program's, which zstd passes over.
  static let skippable: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]

  private func littleEndian(_ value: UInt32, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
  }
}
