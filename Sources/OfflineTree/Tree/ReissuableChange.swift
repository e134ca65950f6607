/// A change of this device that contributes nothing, by what the space has decided, and what doing it again would do.
///
/// Doing it again is a new change, with a number of its own, that is judged by what holds now.
public struct ReissuableChange: Sendable, Equatable {
  /// Names a change: the log or branch that it is in, and its number there.
  ///
  /// When others' changes show that the log has forked, the list names the change by its branch from then on. The older
  /// name is understood, too, where no other branch has a void change with that number.
  public struct ID: Hashable, Sendable, CustomStringConvertible {
    public let log: LogID
    public let seq: UInt64

    public init(log: LogID, seq: UInt64) {
      self.log = log
      self.seq = seq
    }

    /// The log's 32 hexadecimal digits, a colon and the number.
    /// - Throws: `invalidArgument` for any other text.
    public init(_ text: String) throws(TreeError) {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, let log = ID.log(parts[0]), let seq = UInt64(parts[1]) else {
        throw TreeError(
          .invalidArgument, "\"\(text)\" names no change", advice: "Write LOG:SEQ, as the list of them says it.")
      }
      self.init(log: log, seq: seq)
    }

    private static func log(_ text: Substring) -> LogID? {
      let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
      guard digits.count == 32, text.utf8.count == 32 else { return nil }
      return LogID(stride(from: 0, to: 32, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }

    public var description: String { "\(log):\(seq)" }
  }

  /// One thing that the change did.
  public struct Step: Sendable, Equatable {
    public enum Action: Sendable, Equatable {
      /// It put a value at the path, in place of what was there; null removed it.
      case set(Value)
      /// It added an element to an add-only set.
      case add(Value)
      case vote(voter: Key, choice: Int)
      case priority(Scalar?)
      case increment(by: Scalar)
      /// It stored a file under that name, or removed it.
      case file(String, isRemoved: Bool)
      /// An act of membership, of an account or of moderation.
      case act
    }

    public enum Outcome: Sendable, Equatable {
      /// It is done again.
      case again
      /// It is added again, under another key: its own is not one that this device can bind.
      case againAt(Path)
      /// It is so already.
      case stands
      /// It is not wanted any more: a later change of this device that wrote there was dealt with.
      case superseded
      /// Doing it again takes away what is there now, and which the change had not seen: only where that is wanted.
      case replaces(Value)
      /// Only a person can do it again; how, in a sentence.
      case byHand(String)
    }

    /// What it concerns; the root for an act.
    public let path: Path
    public let action: Action
    public let outcome: Outcome
  }

  public let id: ID
  /// Names it for good, whatever forks.
  public let position: LogPosition
  /// When it was made, milliseconds since 1970 by this device's clock.
  public let wallTime: Int64
  /// Who made it, if somebody was logged in.
  public let author: Key?
  /// Why it contributes nothing.
  public let reason: String
  /// Was it made by somebody else than who is logged in? Then only they can have it done again, and see here what it was.
  public let isSomebodyElses: Bool
  public let steps: [Step]

  /// Is there anything that can be done again?
  public var isReissuable: Bool {
    steps.contains(where: \.outcome.isDone)
  }
}

/// What has become of a change that was to be done again.
public struct ReissueResult: Sendable, Equatable {
  public enum Outcome: Sendable, Equatable {
    /// It was done again by this change, apart from steps that stood. If some are left that only a person can do, it
    /// stays on the list with those.
    case reissued(as: ReissuableChange.ID)
    /// There was nothing left to do, or only by hand: it is listed no more.
    case nothingToDo
    /// It would take away what it had not seen, and so was left.
    case wouldReplace
    /// It was made by somebody else than who is logged in, and was left.
    case somebodyElses
    /// It may not be done now, and was left.
    case refused(TreeError)
    /// It was dealt with before.
    case doneBefore
    /// It could not be tried, for a reason that is not its own: it is the last result, and what comes behind it was not
    /// tried either.
    case failed(TreeError)
  }

  public let id: ReissuableChange.ID
  public let outcome: Outcome
  public let steps: [ReissuableChange.Step]
}

/// How many changes of this device can be done again.
package struct ReissuableCount: Sendable, Equatable {
  /// Those that are whole or in part to be done by who is logged in.
  package var own = 0
  /// Those that somebody else made.
  package var others = 0
  /// There are more changes than were looked at.
  package var isMore = false
}
