internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A line that is typed on a terminal and not shown.
enum HiddenInput {
  private static let limit = 1_024

  /// Reads key by key, so that ^C ends the program with the terminal as it was.
  /// - Returns: Nil for ^C, or ^D on an empty line.
  static func readLine() throws(TreeError) -> [UInt8]? {
    var usual = termios()
    guard unsafe tcgetattr(STDIN_FILENO, &usual) == 0 else { throw systemError("cannot ask the terminal") }
    var hidden = usual
    hidden.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
    guard unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else {
      throw systemError("cannot hide what is typed")
    }
    defer { _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual) }
    var line: [UInt8] = []
    while line.count < limit {
      var key: UInt8 = 0
      let count = unsafe read(STDIN_FILENO, &key, 1)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw systemError("cannot read standard input") }
      switch (count, key) {
      case (0, _): return line.isEmpty ? nil : line
      case (_, 0x0A), (_, 0x0D): return line
      case (_, 0x03): return nil
      case (_, 0x04): if line.isEmpty { return nil }
      case (_, 0x08), (_, 0x7F): _ = line.popLast()
      case (_, 0x15): line = []
      default: line.append(key)
      }
    }
    throw TreeError(.limitExceeded, "the line has more than \(limit) bytes")
  }
}
