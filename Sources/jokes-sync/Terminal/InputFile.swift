internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Reading from descriptors.
enum InputFile {
  static let chunkBytes = 1 << 16

  /// Some bytes of a file or pipe; nil at the end.
  static func read(_ descriptor: Int32, what: String) throws(TreeError) -> [UInt8]? {
    var bytes: [UInt8] = []
    try append(to: &bytes, from: descriptor, what: what)
    return bytes.isEmpty ? nil : bytes
  }

  /// Appends some bytes; none at the end.
  static func append(to bytes: inout [UInt8], from descriptor: Int32, what: String) throws(TreeError) {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: chunkBytes))
    while true {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe systemRead(descriptor, buffer.baseAddress! + start, chunkBytes)
      }
      if count >= 0 {
        bytes.removeLast(chunkBytes - count)
        return
      }
      if errno != EINTR { throw systemError("cannot read \(what)") }
    }
  }
}

enum StandardInput {
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// - Throws: `limitExceeded` beyond `limit` bytes, `inputOutput` if it cannot be read.
  static func readAll(limit: Int) throws(TreeError) -> [UInt8] {
    var bytes: [UInt8] = []
    while let chunk = try InputFile.read(STDIN_FILENO, what: "standard input") {
      bytes += chunk
      if bytes.count > limit {
        throw TreeError(.limitExceeded, "standard input has more than \(limit) bytes", advice: "Split it.")
      }
    }
    return bytes
  }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
  unsafe read(descriptor, buffer, count)
}
