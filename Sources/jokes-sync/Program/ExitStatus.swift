internal import OfflineTree

/// What the program tells its caller, after `sysexits.h`.
enum ExitStatus: Int32 {
  case success = 0
  /// A scenario did not end as it must, or something is to be done.
  case mismatch = 1
  case usage = 64
  case refused = 65
  case notFound = 66
  case unavailable = 69
  case `internal` = 70
  case damaged = 74

  init(_ error: any Error) {
    guard let error = error as? TreeError else {
      self = .internal
      return
    }
    self =
      switch error.code {
      case .invalidArgument, .invalidEmail: .usage
      case .refused, .limitExceeded, .downloadSizeExceeded, .emailAlreadyInUse, .weakPassword, .wrongPassword,
        .tooManyRequests:
        .refused
      case .notFound, .userNotFound: .notFound
      case .unavailable, .unsupportedVersion, .cancelled: .unavailable
      case .inputOutput, .full, .damaged: .damaged
      case .internal: .internal
      }
  }

  static let explanation = """
    Exit status
      0   done
      1   a scenario did not end as its document expects; doctor found something to do
      64  usage: an unknown command or option, a bad path, key, value or email
      65  refused: not allowed, not yet possible, beyond a limit; nobody logged in, a wrong or weak password, an email in use,
          too many attempts
      66  not found: no such joke, account, remote, home or file
      69  unavailable: busy, offline, a remote that is away, a port in use, written by a newer version
      70  internal: a mistake in this program
      74  storage: damaged data, a full disk, no permission, an input or output error
    """
}
