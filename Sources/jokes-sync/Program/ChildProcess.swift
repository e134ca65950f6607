internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// This program again, as a process of its own.
enum ChildProcess {
  enum End {
    case exited(Int32)
    case killed(Int32)
  }

  /// The child has said what went wrong.
  struct Failure: Error {
    let status: Int32
  }

  /// Runs the program with these words, with our input and outputs, and waits for its end.
  static func run(_ words: [String]) throws(TreeError) -> End {
    var arguments = unsafe ([Program.name] + words).map { unsafe strdup($0) } + [nil]
    defer {
      for index in 0...words.count { unsafe free(arguments[index]) }
    }
    var child = pid_t()
    let code = unsafe posix_spawn(&child, executable, nil, nil, &arguments, environ)
    guard code == 0 else { throw systemError("cannot start \(executable)", code) }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0 {
      if errno != EINTR { throw systemError("cannot wait for \(executable)") }
    }
    let signal = status & 0x7F
    return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal)
  }

  private static var executable: String {
    unsafe access("/proc/self/exe", X_OK) == 0 ? "/proc/self/exe" : CommandLine.arguments[0]
  }
}
