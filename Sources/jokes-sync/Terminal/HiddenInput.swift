internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A line that is typed on a terminal and not shown.
enum HiddenInput {
  private static let limit = 4_096

  /// Asks once what is typed is hidden, and reads key by key, so that ^C leaves the terminal as it was.
  /// - Returns: Nil for ^C, or ^D on an empty line. Whoever gets a line wipes it.
  static func answer(to prompt: String, _ console: Console) throws(TreeError) -> [UInt8]? {
    var usual = termios()
    guard unsafe tcgetattr(STDIN_FILENO, &usual) == 0 else { throw systemError("cannot ask the terminal") }
    let former = TerminalGuard.begin(usual)
    defer { TerminalGuard.end(former) }
    var hidden = usual
    hidden.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
    guard unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else {
      throw systemError("cannot hide what is typed")
    }
    console.draw("\(prompt) (not shown): ")
    defer {
      _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual)
      console.draw("\n")
    }
    var line = SecretLine(limit: limit)
    while true {
      guard let key = try InputFile.readByte(STDIN_FILENO, what: "standard input") else {
        return line.isEmpty ? nil : line.take()
      }
      switch key {
      case 0x0A, 0x0D: return line.take()
      case 0x03:
        line.clear()
        return nil
      case 0x04: if line.isEmpty { return nil }
      case 0x08, 0x7F: line.removeLastCharacter()
      case 0x15: line.clear()
      case ..<0x20:
        throw TreeError(
          .invalidArgument, "a key was pressed that is no character, and nothing was changed", advice: "Run it again.")
      default: try line.append(key)
      }
    }
  }
}

/// Gives the terminal back as it was if a signal ends the program while something is typed unseen.
private enum TerminalGuard {
  /// Memory that stays where it is: a signal's handler may neither allocate nor lock.
  nonisolated(unsafe) private static let usual = UnsafeMutablePointer<termios>.allocate(capacity: 1)
  private static let signals = [SIGINT, SIGQUIT, SIGTERM, SIGHUP]

  typealias Handler = (@convention(c) (Int32) -> Void)?

  /// - Returns: What the signals did before, in their order.
  static func begin(_ settings: termios) -> [Handler] {
    unsafe usual.initialize(to: settings)
    return signals.map { number in
      let former = signal(number, restore)
      // What is ignored, by nohup for instance, stays so.
      if isIgnoring(former) { _ = signal(number, SIG_IGN) }
      return former
    }
  }

  static func end(_ former: [Handler]) {
    for (number, handler) in zip(signals, former) { _ = signal(number, handler) }
  }

  private static let restore: Handler = { number in
    _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, TerminalGuard.usual)
    _ = signal(number, SIG_DFL)
    _ = raise(number)
  }

  private static func isIgnoring(_ handler: Handler) -> Bool {
    unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN as Handler, to: Int.self)
  }
}

/// Bytes of a line that nobody else may see: in one place, which is wiped.
struct SecretLine: ~Copyable {
  private var bytes: [UInt8] = []
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
    // Never moves, and so leaves no copy behind.
    bytes.reserveCapacity(limit)
  }

  deinit { wipe() }

  var isEmpty: Bool { bytes.isEmpty }

  /// - Throws: `limitExceeded` beyond the limit.
  mutating func append(_ byte: UInt8) throws(TreeError) {
    if bytes.count == limit {
      throw TreeError(
        .limitExceeded, "the line has more than \(limit) bytes", advice: "A password or code is one short line.")
    }
    bytes.append(byte)
  }

  mutating func removeLastCharacter() {
    while let byte = bytes.popLast(), byte & 0xC0 == 0x80 {}
  }

  mutating func removeCarriageReturn() {
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
  }

  mutating func clear() {
    wipe()
    bytes.removeAll(keepingCapacity: true)
  }

  /// The line; whoever gets it wipes it.
  mutating func take() -> [UInt8] {
    let line = bytes
    bytes = []
    return line
  }

  private func wipe() {
    unsafe bytes.withUnsafeBytes { memory in unsafe Sodium.wipe(memory) }
  }
}
