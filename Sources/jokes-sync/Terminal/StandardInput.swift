internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

enum StandardInput {
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// - Throws: `limitExceeded` beyond `limit` bytes, `inputOutput` if it cannot be read.
  static func readAll(limit: Int) throws(TreeError) -> [UInt8] {
    var bytes: [UInt8] = []
    while let chunk = try read() {
      bytes += chunk
      if bytes.count > limit {
        throw TreeError(.limitExceeded, "standard input has more than \(limit) bytes", advice: "Split it.")
      }
    }
    return bytes
  }

  /// Some bytes; nil at the end.
  static func read() throws(TreeError) -> [UInt8]? {
    try OfflineTreeInput.read(STDIN_FILENO, what: "standard input")
  }

  /// One line without its end, or nil at the end of the input.
  static func readLine() -> String? { Swift.readLine(strippingNewline: true) }
}

enum OfflineTreeInput {
  static let chunkBytes = 1 << 16

  /// Some bytes of a file or pipe; nil at the end.
  static func read(_ descriptor: Int32, what: String) throws(TreeError) -> [UInt8]? {
    while true {
      var count = 0
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: chunkBytes) { buffer, initialized in
        unsafe count = systemRead(descriptor, UnsafeMutableRawBufferPointer(buffer))
        initialized = max(0, count)
      }
      if count > 0 { return bytes }
      if count == 0 { return nil }
      if errno != EINTR { throw systemError("cannot read \(what)") }
    }
  }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  unsafe read(descriptor, buffer.baseAddress, buffer.count)
}
