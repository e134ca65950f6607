internal import CProcess

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// What keeps the secrets of a process from others on this machine.
enum Hardening {
  /// What the program makes is for its user alone, and its memory lands in no file and no debugger of that user.
  ///
  /// Where the system refuses, the program runs all the same: its secrets lie in locked memory in any case.
  static func apply() {
    umask(0o077)
    // Swift's runtime would print what lies where the registers point, and on a terminal let one look further.
    for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV, SIGSYS] { _ = signal(number, SIG_DFL) }
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    #if canImport(Glibc)
      _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    #else
      _ = unsafe setrlimit(RLIMIT_CORE, &none)
    #endif
    _ = process_set_not_dumpable()
  }
}
