internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Passwords and codes: typed unseen, or one line of a file or of standard input; never a word of the command.
struct SecretInput: Sendable {
  /// What is asked for: "Password".
  let name: String
  /// The option that names a file: "--password-file".
  let option: String
  /// The file; "-" is standard input, nil asks.
  let file: String?
  let console: Console

  init(_ name: String, _ option: Option, _ invocation: Invocation) {
    self.name = name
    self.option = option.name
    file = invocation.arguments.value(of: option.name)
    console = invocation.console
  }

  private static let limit = 4_096

  /// A password that exists.
  func password() throws(TreeError) -> Password {
    var line = try read(name)
    return try Password(&line)
  }

  /// A password to set: typed twice, where it is typed.
  func newPassword() throws(TreeError) -> Password {
    var line = try read(name)
    if isTyped {
      var again = try read("The same again")
      defer { Sodium.wipe(&again) }
      if line != again {
        Sodium.wipe(&line)
        throw TreeError(
          .invalidArgument, "the two passwords are not the same, and nothing was changed", advice: "Run it again.")
      }
    }
    return try Password(&line)
  }

  func recoveryCode(for purpose: RecoveryCode.Purpose = .account) throws -> RecoveryCode {
    var line = try read(name)
    defer { Sodium.wipe(&line) }
    return try RecoveryCode(parsing: line, for: purpose)
  }

  private var isTyped: Bool { (file == nil || file == "-") && StandardInput.isTerminal }

  private func read(_ prompt: String) throws(TreeError) -> [UInt8] {
    let line = isTyped ? try HiddenInput.answer(to: prompt, console) ?? [] : try file.map(Self.line) ?? nil
    guard let line else {
      throw TreeError(
        .invalidArgument, "nobody can be asked for \"\(name)\": standard input is no terminal",
        advice: "Pass \(option) FILE, or \(option) - to read a line of standard input.")
    }
    if line.isEmpty {
      throw TreeError(
        .invalidArgument,
        isTyped ? "nothing was typed, and nothing was changed" : "the first line for \"\(name)\" is empty",
        advice: isTyped ? "Run it again, and type it." : "It is the first line of what \(option) names.")
    }
    return line
  }

  /// The next line of standard input, or the only one of a file.
  private static func line(of file: String) throws(TreeError) -> [UInt8] {
    if file == "-" { return try line(of: STDIN_FILENO, what: "standard input") ?? [] }
    let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw systemError("cannot read \(file)") }
    defer { close(descriptor) }
    var line = try line(of: descriptor, what: file) ?? []
    if var more = try Self.line(of: descriptor, what: file) {
      Sodium.wipe(&more)
      Sodium.wipe(&line)
      throw TreeError(
        .invalidArgument, "\(file) has more than one line", advice: "It must hold one line, and nothing else.")
    }
    return line
  }

  /// Byte by byte: what follows the line is for whoever reads next. Nil at the end.
  private static func line(of descriptor: Int32, what: String) throws(TreeError) -> [UInt8]? {
    var line = SecretLine(limit: limit)
    var isAny = false
    while let byte = try InputFile.readByte(descriptor, what: what) {
      isAny = true
      if byte == UInt8(ascii: "\n") { break }
      try line.append(byte)
    }
    if !isAny { return nil }
    line.removeCarriageReturn()
    return line.take()
  }
}

extension Option {
  static let passwordFile = Option(
    name: "--password-file", value: "FILE", summary: "a file whose one line is the password; - is standard input")
  static let newPasswordFile = Option(
    name: "--new-password-file", value: "FILE", summary: "the same for the new password")
  static let codeFile = Option(
    name: "--code-file", value: "FILE", summary: "a file whose one line is the recovery code; - is standard input")
  static let user = Option(
    name: "--user", value: "UID", summary: "which account, if several claim the email: its uid, or the beginning")
  static let email = Option(name: "--email", value: "EMAIL", summary: "who the account says it is")
}

extension Console {
  /// Says on a terminal, until it is done, why nothing happens for a second.
  func whileChecking<R: Sendable>(_ body: () async throws -> R) async throws -> R {
    if errorIsTerminal { draw("Checking the password…") }
    defer { if errorIsTerminal { draw("\r\u{1B}[K") } }
    return try await body()
  }
}
