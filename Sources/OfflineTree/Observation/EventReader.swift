/// What a sequence of events has from the hub. All but `types` is touched on the hub's queue only.
final class EventReader: @unchecked Sendable {
  typealias Continuation = CheckedContinuation<[ViewEvent], any Error>

  let types: DataEventTypes
  var view: ObservedView?
  private var waiting: Continuation?
  /// Told to the next one who asks.
  private var failure: (any Error)?

  init(_ types: DataEventTypes) { self.types = types }

  var isWaiting: Bool { waiting != nil }

  func wait(_ continuation: Continuation) {
    precondition(waiting == nil, "Two tasks read from one sequence of events at the same time")
    if let failure {
      self.failure = nil
      return continuation.resume(throwing: failure)
    }
    waiting = continuation
  }

  func answer(_ result: Result<[ViewEvent], any Error>) {
    guard let waiting else {
      if case .failure(let error) = result { failure = error }
      return
    }
    self.waiting = nil
    waiting.resume(with: result)
  }
}
