/// What cannot be done without changes whose bytes were dropped.
extension Replica {
  private static let missingAdvice =
    "It is fetched from a device that keeps all history, when one is met: sync with it."

  static func missing(_ log: Int, from first: UInt64, through last: UInt64) -> TreeError {
    missing([MissingChanges(log: log, first: first, last: last)])
  }

  /// For what is judged anew over all that was applied.
  static var missingEverything: TreeError { missing([.everything]) }

  static func missing(_ changes: [MissingChanges]) -> TreeError {
    var error = TreeError(.unavailable, "this needs history that this device has dropped", advice: missingAdvice)
    error.missing = changes
    return error
  }
}
