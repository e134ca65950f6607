import Testing

@testable import OfflineTree

@Suite struct ImageHeaderTests {
  static func png(_ width: UInt32, _ height: UInt32) -> [UInt8] {
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + big(width) + big(height)
      + [8, 2, 0, 0, 0]
  }

  private static func big(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 255) } }

  private static func jpeg(_ frame: UInt8) -> [UInt8] {
    [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xC4, 0, 3, 9, 0xFF, frame, 0, 11, 8, 0x02, 0x58, 0x03, 0x20]
  }

  private static func webp(_ chunk: String, _ body: [UInt8]) -> [UInt8] {
    Array("RIFF".utf8) + [1, 0, 0, 0] + Array("WEBP\(chunk)".utf8) + [1, 0, 0, 0] + body
  }

  @Test(arguments: [
    (png(640, 480), "png", 640, 480), (jpeg(0xC0), "jpg", 800, 600), (jpeg(0xC2), "jpg", 800, 600),
    (Array("GIF89a".utf8) + [0x40, 1, 0xF0, 0], "gif", 320, 240), (Array("GIF87a".utf8) + [1, 0, 1, 0], "gif", 1, 1),
    (webp("VP8 ", [0, 0, 0, 0x9D, 1, 0x2A, 0x40, 0xC1, 0xF0, 0]), "webp", 320, 240),
    (webp("VP8L", [0x2F, 0x3F, 0xC1, 0x3B, 0]), "webp", 320, 240),
    (webp("VP8X", [0, 0, 0, 0, 0x3F, 1, 0, 0xEF, 0, 0]), "webp", 320, 240), (png(8_192, 8_192), "png", 8_192, 8_192),
  ])
  func `an image says what it is and how large`(_ bytes: [UInt8], _ ending: String, _ width: Int, _ height: Int) throws
  {
    let header = try ImageHeader(bytes)
    #expect((header.kind.fileExtension, header.width, header.height) == (ending, width, height))
    #expect(try Blob(image: bytes).name.hasSuffix(".\(ending)"))
    // Whatever is cut off: an error, or the same answer.
    for count in bytes.indices {
      do throws(TreeError) {
        #expect(try ImageHeader(Array(bytes[..<count])) == header)
      } catch {
        #expect(error.code == .invalidArgument)
      }
    }
  }

  @Test(arguments: [
    [], Array("<svg/>".utf8), Array("BM".utf8), png(0, 5), png(5, 0), [0xFF, 0xD8, 0xFF, 0xDA, 0, 4, 1, 1],
    [0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 0xFF, 0xC0], [0xFF, 0xD8, 0xFF, 0xD9],
    webp("VP8 ", [UInt8](repeating: 0, count: 10)),
    [0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 1_000),
  ])
  func `what is no image is refused`(_ bytes: [UInt8]) {
    #expect(error { try ImageHeader(bytes) }?.code == .invalidArgument)
  }

  @Test(arguments: [png(8_193, 1), png(1, .max), png(1, 1) + [UInt8](repeating: 0, count: 5 << 20)])
  func `what is too large is refused`(_ bytes: [UInt8]) {
    #expect(error { try ImageHeader(bytes) }?.code == .limitExceeded)
  }
}
