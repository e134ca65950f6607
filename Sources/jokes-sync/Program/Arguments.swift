internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The words of the command line, as text.
enum ProgramArguments {
  /// How an invite begins.
  private static let secretMark = Array("offlinetree".utf8)
  private static let mask = UInt8(ascii: "x")

  /// An invite is taken and overwritten, since every process of this machine can read the words of a command.
  /// - Throws: `invalidArgument` for a word that is not valid UTF-8, which Swift would silently repair.
  static func all() throws(TreeError) -> [String] {
    var words: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let pointer = unsafe CommandLine.unsafeArgv[index] else { continue }
      let memory = unsafe UnsafeMutableRawBufferPointer(start: pointer, count: strlen(pointer))
      let bytes = unsafe Array(memory)
      if unsafe memory.starts(with: secretMark) { unsafe memory.initializeMemory(as: UInt8.self, repeating: mask) }
      guard let word = String(validating: bytes, as: UTF8.self) else {
        throw TreeError(
          .invalidArgument,
          "word \(index) of the command, \"\(String(decoding: bytes, as: UTF8.self))\", is not valid UTF-8",
          advice: "Use a terminal with UTF-8, or pass the text on standard input.")
      }
      words.append(word)
    }
    return words
  }
}

/// What followed a command: operands in order, and options.
struct Arguments: Sendable {
  private(set) var operands: [String] = []
  /// What was given to each option, in order; a switch has an empty text.
  private var values: [String: [String]] = [:]

  static func asksForHelp(_ words: [String]) -> Bool {
    words.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
  }

  /// - Throws: `invalidArgument` for an unknown option, a missing value, or too many or too few words.
  init(_ words: [String], of command: Command) throws(TreeError) {
    let known = command.options + [.home, .help]
    var rest = words[...]
    var onlyOperands = false
    while let word = rest.popFirst() {
      if onlyOperands || !Arguments.isOption(word) {
        operands.append(word)
      } else if word == "--" {
        onlyOperands = true
      } else {
        try take(word, from: &rest, known, command)
      }
    }
    if !command.operands.contains(operands.count) {
      let problem = operands.count < command.operands.lowerBound ? "something is missing" : "there is a word too many"
      throw Usage.error("\(problem) after \"\(command.name)\"", command)
    }
  }

  /// "-" is standard input, "-1" a number, and "-OaB3" the beginning of a joke's id.
  private static func isOption(_ word: String) -> Bool { word.hasPrefix("--") }

  private mutating func take(
    _ word: String, from rest: inout ArraySlice<String>, _ known: [Option], _ command: Command
  ) throws(TreeError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let option = known.first(where: { $0.name == parts[0] }) else {
      throw Usage.unknownOption(parts[0], among: known.map(\.name), command)
    }
    guard let value = option.value else {
      if parts.count > 1 { throw Usage.error("\(option.name) takes no value", command) }
      values[option.name] = [""]
      return
    }
    guard let given = parts.count > 1 ? parts[1] : rest.popFirst() else {
      throw Usage.error("\(option.name) needs a value: \(option.name) \(value)", command)
    }
    values[option.name, default: []].append(given)
  }

  func has(_ option: Option) -> Bool { values[option.name] != nil }

  func has(_ name: String) -> Bool { values[name] != nil }

  /// The last one, if it was given several times.
  func value(of name: String) -> String? { values[name]?.last }

  /// All of them, of an option that can be given several times.
  func values(of name: String) -> [String] { values[name] ?? [] }

  /// - Throws: `invalidArgument` unless it is a number from 1 up.
  func count(of name: String, default standard: Int) throws(TreeError) -> Int {
    guard let text = value(of: name) else { return standard }
    guard let number = Int(text), number > 0 else {
      throw TreeError(
        .invalidArgument, "\(name) \(text) is no number from 1 up", advice: "Write for example \(name) 10.")
    }
    return number
  }
}
