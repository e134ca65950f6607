internal import OfflineTree

/// What is told of failures that come again and again: each at once, and how often it came again once a minute.
///
/// Strangers can fail as often as they like, from as many addresses as they have: it takes bounded room and few lines.
struct RepeatedFailures {
  /// A failure at a remote; without one, of somebody who connected.
  struct Failure: Equatable, Sendable {
    let remote: RemoteAddress?
    let error: TreeError

    /// In the words that name the address and the cause.
    fileprivate func isSame(as other: Failure) -> Bool {
      remote == other.remote && error.context.utf8.elementsEqual(other.error.context.utf8)
    }
  }

  /// Failures that are told apart at a time.
  static let kept = 16

  private var told: [(failure: Failure, more: Int)] = []
  private var others = 0

  /// Is there nothing that a minute has to end for?
  var isEmpty: Bool { told.isEmpty && others == 0 }

  /// Is it to be told now? Else it is counted.
  mutating func isNews(_ failure: Failure) -> Bool {
    if let index = told.firstIndex(where: { $0.failure.isSame(as: failure) }) {
      told[index].more += 1
      return false
    }
    guard told.count < Self.kept else {
      others += 1
      return false
    }
    told.append((failure, 0))
    return true
  }

  /// What is to be told of the minute that ends: what came again, with how often, and a sentence about all the others.
  ///
  /// What came again stays told for the next minute.
  mutating func endMinute() -> (repeated: [Failure], others: String?) {
    let repeated = told.filter { $0.more > 0 }
    let count = others
    told = repeated.map { ($0.failure, 0) }
    others = 0
    return (
      repeated.map { $0.failure.counted($0.more) },
      count == 0 ? nil : "\(count) more connections failed within a minute, from other addresses or for other reasons."
    )
  }
}

extension RepeatedFailures.Failure {
  fileprivate func counted(_ more: Int) -> Self {
    let times = more == 1 ? "once more" : "\(more) more times"
    let error = TreeError(
      error.code, "\(error.context), \(times) within a minute", advice: error.advice, underlying: error.underlying)
    return Self(remote: remote, error: error)
  }
}
