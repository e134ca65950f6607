internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// One run of one command: what it was given, and where it may write.
struct Invocation: Sendable {
  let command: Command
  let arguments: Arguments
  let console: Console

  func home() throws(TreeError) -> String { try Home.path(option: arguments.value(of: Option.home.name)) }

  /// - Throws: `notFound` where no device lives, `damaged` where its database is.
  func openDatabase() throws(TreeError) -> Database {
    let home = try home()
    do throws(TreeError) {
      try requireSoundPages(maximumBytes: Self.bytesCheckedAlways)
      return try Database.open(at: home)
    } catch  where error.code == .notFound {
      throw TreeError(
        .notFound, "no device lives in \(home)",
        advice: "Run \"\(Program.name) init\" for a new space, or \"\(Program.name) join\" for one that exists.")
    }
  }

  /// Up to this size the whole file is looked at whenever it is opened, which takes some milliseconds; of a larger one
  /// what leads to the rest.
  private static let bytesCheckedAlways: UInt64 = 16 << 20

  /// LMDB shows what a damaged page says, or dies of it: so it does not get to see one.
  func requireSoundPages(maximumBytes: UInt64) throws(TreeError) {
    let home = try home()
    let problems = try Database.damage(at: home, maximumBytes: maximumBytes)
    guard let first = problems.first else { return }
    for problem in problems.dropFirst().prefix(9) { console.report("damaged: \(problem)") }
    throw TreeError(.damaged, "the database in \(home) is damaged: \(first)", advice: Program.repairAdvice)
  }

  /// The operand at `index`, or nil.
  func operand(_ index: Int) -> String? {
    index < arguments.operands.count ? arguments.operands[index] : nil
  }

  func usage(_ problem: String) -> TreeError { Usage.error(problem, command) }

  /// The operand itself, or all of standard input for "-".
  /// - Throws: `limitExceeded` beyond `limit` bytes, `invalidArgument` for bad UTF-8.
  func text(_ operand: String, limit: Int) throws(TreeError) -> String {
    guard operand == "-" else { return operand }
    let bytes = try StandardInput.readAll(limit: limit)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw TreeError(
        .invalidArgument, "standard input is not valid UTF-8", advice: "Convert it, for example with iconv.")
    }
    return text
  }
}

/// The name of this machine, for people.
func hostName() -> String {
  var bytes = [CChar](repeating: 0, count: 256)
  guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return "device" }
  let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return name.isEmpty ? "device" : String(name.prefix(32))
}
