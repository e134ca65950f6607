internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Whoever read our output has stopped: no mistake, and nothing left to do.
struct OutputClosed: Error {}

/// Standard output and standard error.
///
/// Output is buffered, except on a terminal; any thread may print.
final class Console: Sendable {
  let isTerminal: Bool
  let errorIsTerminal: Bool
  /// Does the locale show more than ASCII?
  let isUTF8: Bool
  private let usesColor: Bool
  private let buffer = Monitor<[UInt8]>([])

  init() {
    isTerminal = isatty(STDOUT_FILENO) == 1
    errorIsTerminal = isatty(STDERR_FILENO) == 1
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environmentVariable).first ?? ""
    isUTF8 = ["utf-8", "utf8"].contains { locale.lowercased().contains($0) }
    usesColor = isTerminal && environmentVariable("NO_COLOR") == nil && environmentVariable("TERM") != "dumb"
  }

  /// A line of our own words. What others wrote must have passed `TerminalText`.
  func print(_ line: String) throws { try write(Array(line.utf8) + [UInt8(ascii: "\n")]) }

  /// A line of JSON: as it is for a program, without controls on a terminal.
  func print(json text: String) throws { try print(isTerminal ? TerminalText.json(text) : text) }

  func write(_ bytes: [UInt8]) throws {
    try buffer.withLock { buffer in
      buffer += bytes
      if isTerminal || buffer.count >= 1 << 16 { try Console.drain(&buffer) }
    }
  }

  func flush() throws { try buffer.withLock { try Console.drain(&$0) } }

  private static func drain(_ buffer: inout [UInt8]) throws {
    let bytes = buffer
    buffer.removeAll(keepingCapacity: true)
    do {
      try writeAll(bytes, to: STDOUT_FILENO, what: "standard output")
    } catch let error where error.code == .unavailable {
      throw OutputClosed()
    }
  }

  /// A message to standard error.
  func report(_ text: String) {
    try? flush()
    try? writeAll(Array((TerminalText.block(text) + "\n").utf8), to: STDERR_FILENO, what: "standard error")
  }

  /// Our own words and controls to standard error, which is a terminal.
  func draw(_ text: String) { try? writeAll(Array(text.utf8), to: STDERR_FILENO, what: "standard error") }

  /// What happened, and what to do next.
  func report(_ error: any Error) {
    guard let error = error as? TreeError else { return report("error: \(error)") }
    let cause = error.underlying.map { " (\($0))" } ?? ""
    report("error: \(error.context)\(cause)" + (error.advice.isEmpty ? "" : "\n\(error.advice)"))
  }

  // MARK: Colour

  func bold(_ text: String) -> String { styled(text, "1") }
  func dim(_ text: String) -> String { styled(text, "2") }
  func accent(_ text: String) -> String { styled(text, "32") }

  private func styled(_ text: String, _ code: String) -> String {
    usesColor ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }

  /// Columns and rows of the terminal; 80 × 24 where it does not say.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    let descriptor = isTerminal ? STDOUT_FILENO : STDERR_FILENO
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }
}

/// Writes all bytes, however many calls it takes.
/// - Throws: `unavailable` if the reader has gone, `full` on a full disk, else `inputOutput`.
func writeAll(_ bytes: [UInt8], to descriptor: Int32, what: String) throws(TreeError) {
  var offset = 0
  while offset < bytes.count {
    let count = unsafe bytes[offset...].withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    if count >= 0 {
      offset += count
    } else if errno != EINTR {
      throw systemError("cannot write to \(what)")
    }
  }
}

/// The error that `errno` stands for.
func systemError(_ context: String, _ number: Int32 = errno) -> TreeError {
  let words = unsafe String(cString: strerror(number))
  switch number {
  case EPIPE: return TreeError(.unavailable, context, underlying: words)
  case ENOENT: return TreeError(.notFound, context, advice: "Check the path.", underlying: words)
  case EACCES, EPERM:
    return TreeError(.inputOutput, context, advice: "Check who owns it, and its permissions.", underlying: words)
  case EISDIR: return TreeError(.inputOutput, context, advice: "Name a file.", underlying: words)
  case ENOSPC, EDQUOT: return TreeError(.full, context, advice: "Free some space and try again.", underlying: words)
  default:
    return TreeError(
      .inputOutput, context, advice: "Try again; if it stays so, look into the system's log.", underlying: words)
  }
}
