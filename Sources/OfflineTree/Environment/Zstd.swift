internal import CZstd

/// The two calls of zstd that segments and stored history need, as strict about a frame as a format has to be.
package enum Zstd {
  /// Measured on changes of jokes: higher levels cost several times as much for a few per cent.
  package static let level: Int32 = 3
  /// Above every window that a writer of segments uses: they have at most 32 MiB.
  package static let windowBytes: UInt64 = 32 << 20

  private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

  /// The longest frame that `compress` makes of so many bytes.
  package static func bound(_ count: Int) -> Int { ZSTD_compressBound(count) }

  /// One frame, which says how long its content is.
  package static func compress(_ bytes: [UInt8], level: Int32 = Zstd.level) throws(TreeError) -> [UInt8] {
    var code = 0
    let frame = unsafe [UInt8](unsafeUninitializedCapacity: bound(bytes.count)) { target, count in
      code = unsafe ZSTD_compress(target.baseAddress, target.count, bytes, bytes.count, level)
      count = ZSTD_isError(code) == 0 ? code : 0
    }
    guard ZSTD_isError(code) == 0 else { throw TreeError(.internal, "cannot compress", underlying: words(code)) }
    return frame
  }

  /// The content of `frame`, which is exactly one frame of exactly `byteCount` bytes of content.
  ///
  /// Allocates those bytes and a context of fixed size, whatever the frame says: `byteCount` was held against its limit.
  /// zstd itself accepts several frames, and frames that are to be skipped.
  ///
  /// - Throws: `.damaged`, or `.limitExceeded` for a window that is too large.
  package static func decompress(_ frame: ArraySlice<UInt8>, byteCount: Int) throws(TreeError) -> [UInt8] {
    guard frame.starts(with: magic) else { throw TreeError(.damaged, "contents are no zstd frame") }
    guard try windowBytes(of: frame) <= windowBytes else {
      throw TreeError(.limitExceeded, "zstd frame needs a window of more than \(windowBytes) bytes")
    }
    let (length, content) = unsafe frame.withUnsafeBytes { source in
      (
        unsafe ZSTD_findFrameCompressedSize(source.baseAddress, source.count),
        unsafe ZSTD_getFrameContentSize(source.baseAddress, source.count)
      )
    }
    guard length == frame.count else {
      throw TreeError(.damaged, "contents are not one zstd frame of \(frame.count) bytes")
    }
    guard content == UInt64(byteCount) else {
      throw TreeError(.damaged, "zstd frame does not say that it holds \(byteCount) bytes")
    }
    var code = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { target, count in
      code = unsafe frame.withUnsafeBytes { source in
        unsafe ZSTD_decompress(target.baseAddress, byteCount, source.baseAddress, source.count)
      }
      count = ZSTD_isError(code) == 0 ? min(code, byteCount) : 0
    }
    guard ZSTD_isError(code) == 0, code == byteCount else {
      throw TreeError(.damaged, "zstd frame is broken", underlying: ZSTD_isError(code) == 0 ? nil : words(code))
    }
    return bytes
  }

  /// What the frame header says (RFC 8878, 3.1.1.1); 0 if the content is the window.
  private static func windowBytes(of frame: ArraySlice<UInt8>) throws(TreeError) -> UInt64 {
    let descriptors = frame.dropFirst(magic.count).prefix(2)
    guard descriptors.count == 2, let header = descriptors.first, let window = descriptors.last else {
      throw TreeError(.damaged, "zstd frame ends in its header")
    }
    let isSingleSegment = header & 0x20 != 0
    if isSingleSegment { return 0 }
    let base = UInt64(1) << (10 + UInt64(window >> 3))
    return base + base / 8 * UInt64(window & 7)
  }

  private static func words(_ code: Int) -> String? {
    unsafe ZSTD_getErrorName(code).map { unsafe String(cString: $0) }
  }
}
