#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The program: finds the command, runs it, and turns what goes wrong into words and an exit status.
@main
struct Main {
  static func main() async {
    Hardening.apply()
    _ = signal(SIGPIPE, SIG_IGN)
    let status = await Program.run()
    exit(status.rawValue)
  }
}
