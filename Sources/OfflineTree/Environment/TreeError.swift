/// An error of OfflineTree: what kind it is, what happened, and what to do next.
///
/// Every failure that the library reports is one of these; C results and `errno` values are turned into one at the
/// place where they occur. `description` is a sentence for a person.
public struct TreeError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of failure it is. Programs decide by this, never by the text.
  public enum Code: String, Sendable, CaseIterable {
    /// The caller passed something that cannot be a path, a key, a value or an option.
    case invalidArgument
    /// The write is understood and not allowed: an add-only element, a flag of somebody else, no sync yet.
    case refused
    /// There is no such joke, device, remote or file.
    case notFound
    /// Somebody else holds it, or it cannot be reached now: a port in use, a peer that is away.
    case unavailable
    /// The operating system said no: permissions, a missing folder, an I/O error.
    case inputOutput
    /// The disk, the map or the lock table is full. Nothing of the failed write is stored.
    case full
    /// Stored or received bytes are not what they must be.
    case damaged
    /// A limit of `Limits` is exceeded.
    case limitExceeded
    /// It was written by a newer version.
    case unsupportedVersion
    /// An account with this email is here already.
    case emailAlreadyInUse
    /// It is no email address.
    case invalidEmail
    /// The password is too short, too long or too common.
    case weakPassword
    /// The password, or the recovery code, opens no account with this email.
    case wrongPassword
    /// No account has this email or id.
    case userNotFound
    /// Too many attempts to log in failed: wait.
    case tooManyRequests
    /// Whoever asked for it has cancelled it.
    case cancelled
    /// The file is longer than the caller said it may be.
    case downloadSizeExceeded
    /// A mistake in OfflineTree itself.
    case `internal`
  }

  public let code: Code
  /// What happened, with the path, file or number it happened to.
  public let context: String
  /// What a person can do next. Empty when the context says it all.
  public let advice: String
  /// The library's or system's own words, if one of them failed.
  public let underlying: String?
  /// Dropped changes without which it cannot be done; empty for every other failure.
  package var missing: [MissingChanges] = []

  public init(_ code: Code, _ context: String, advice: String = "", underlying: String? = nil) {
    self.code = code
    self.context = context
    self.advice = advice
    self.underlying = underlying
  }

  public var description: String {
    let cause = underlying.map { " (\($0))" } ?? ""
    return advice.isEmpty ? context + cause : "\(context)\(cause). \(advice)"
  }
}

/// Changes of a log, by the index that this replica gives it, whose bytes were dropped and are needed.
package struct MissingChanges: Hashable, Sendable {
  /// Nil: of every log, all that was dropped.
  package let log: Int?
  package let first: UInt64
  package let last: UInt64

  package init(log: Int, first: UInt64, last: UInt64) {
    self.log = log
    self.first = first
    self.last = last
  }

  private init() { (log, first, last) = (nil, 0, .max) }

  package static let everything = MissingChanges()
}
