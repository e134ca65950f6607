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

  /// The next byte; nil at the end.
  static func readByte(_ descriptor: Int32, what: String) throws(TreeError) -> UInt8? {
    var byte: UInt8 = 0
    while true {
      let count = unsafe systemRead(descriptor, &byte, 1)
      if count >= 0 { return count == 0 ? nil : byte }
      if errno != EINTR { throw systemError("cannot read \(what)") }
    }
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

  /// A line on a terminal, else everything there is: what people paste, and what programs pass on.
  /// - Parameter prompt: What to type, said on a terminal only.
  /// - Throws: As `readAll`; `invalidArgument` for bad UTF-8, and `missing` if there is nothing.
  static func answer(to prompt: String, missing: TreeError, limit: Int, _ console: Console) throws(TreeError) -> String
  {
    let bytes: [UInt8]
    if isTerminal {
      console.report(prompt)
      guard let line = readLine() else { throw missing }
      bytes = Array(line.utf8)
    } else {
      bytes = try readAll(limit: limit)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw TreeError(.invalidArgument, "standard input is not valid UTF-8", advice: missing.advice)
    }
    if text.allSatisfy(\.isWhitespace) { throw missing }
    return text
  }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
  unsafe read(descriptor, buffer, count)
}
