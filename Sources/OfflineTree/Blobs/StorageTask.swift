/// A file on its way that can be watched and cancelled.
///
///     let task = StorageTask { progress in try await reference.putFile(from: path, onProgress: progress) }
///     for await step in task.progress { show(step.completedUnitCount, step.totalUnitCount) }
///     let metadata = try await task.value
public final class StorageTask<Success: Sendable>: Sendable {
  private let task: Task<Success, any Error>
  /// How far it has come, the newest step alone where nobody reads; ends with the task. For one reader.
  public let progress: AsyncStream<StorageProgress>

  /// Begins at once.
  /// - Parameter operation: Gets what it is to call with its progress.
  public init(
    _ operation:
      @escaping @Sendable (_ onProgress: @escaping @Sendable (StorageProgress) -> Void) async throws -> Success
  ) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: StorageProgress.self, bufferingPolicy: .bufferingNewest(1))
    progress = stream
    task = Task {
      defer { continuation.finish() }
      return try await operation { continuation.yield($0) }
    }
  }

  /// What came of it.
  /// - Throws: What the operation throws; `cancelled` if it was cancelled.
  public var value: Success {
    get async throws { try await task.value }
  }

  /// Ends it as soon as the piece is done that it is at. What was stored of a file that is not whole is removed by itself.
  public func cancel() { task.cancel() }
}

/// - Throws: `cancelled` if the task that runs was cancelled.
func checkCancelled(_ doing: String) throws(TreeError) {
  if Task.isCancelled { throw TreeError(.cancelled, "\(doing) was cancelled") }
}
