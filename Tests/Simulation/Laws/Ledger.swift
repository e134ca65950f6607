import OfflineTree

/// What was answered to callers, kept apart from everything that the devices keep.
struct Ledger {
  struct Answer {
    /// Whose device it is, clones included.
    let person: String
    let device: String
    let position: LogPosition
    /// What it added to the person's tally.
    let amount: Int64
    /// The joke that it posted.
    let joke: Key?
    let text: String
  }

  var answers: [Answer] = []
  /// Answers that only the device itself had when its power failed or it was put back: they may be gone.
  var excused: Set<LogPosition> = []
  /// Whose changes may be void.
  var expelled: Set<String> = []
  /// Whose logs may fork, since a copy could not know that it was one.
  var forking: Set<String> = []
  var droppedChanges = 0
  /// Was a device put back, so that what it had said it has may be gone?
  var isPutBack = false
  /// Was told what no device can apply.
  var waitsForEver = false
}
