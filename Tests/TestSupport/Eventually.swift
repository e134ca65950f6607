package import Testing

/// Waits until something has come true, and records an issue if it does not within five minutes.
///
/// So long because a peer that finds nobody asks again after up to a minute, and because beside a thousand other tests
/// a moment between two steps can be a minute.
package func eventually(
  _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + .seconds(300)
  while true {
    if try condition() { return }
    if ContinuousClock.now > deadline { break }
    try await Task.sleep(for: .milliseconds(20))
  }
  Issue.record("never: \(what)", sourceLocation: sourceLocation)
}
