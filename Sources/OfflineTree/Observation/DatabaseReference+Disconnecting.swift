internal import Dispatch

/// Writes for the moment when this device is cut off from all others.
///
/// Without a server nobody else can write for a device that has vanished: others see what it wrote when it is back. What
/// is asked for here is kept in the home at once, and written, once, by this device: when the last connection of this
/// process to another device ends, at `Database.goOffline`, at `Database.close`, or, if the program ends before,
/// when the home is opened next, by whatever program. Server values are those of that moment; who writes is who was
/// logged in when it was asked for. A shared folder is no connection. A copy of the home forgets what was asked for.
///
/// What may not be written then is told to `Database.failures`.
extension DatabaseReference {
  /// Sets the value at that moment. Returns when that is kept.
  @discardableResult
  public func onDisconnectSetValue(_ value: Any?) async throws -> DatabaseReference {
    try await keep { () throws(TreeError) in [.set(path, try NewValue(any: value))] }
  }

  /// Sets the value at that moment.
  public func onDisconnectSetValue(_ value: Any?, withCompletionBlock block: Completion? = nil) {
    keep(block) { () throws(TreeError) in [.set(path, try NewValue(any: value))] }
  }

  /// Sets the value and the priority at that moment. Returns when that is kept.
  @discardableResult
  public func onDisconnectSetValue(_ value: Any?, andPriority priority: Any?) async throws -> DatabaseReference {
    try await keep { () throws(TreeError) in [.set(path, try NewValue(any: value, priority: priority))] }
  }

  /// Sets the value and the priority at that moment.
  public func onDisconnectSetValue(
    _ value: Any?, andPriority priority: Any?, withCompletionBlock block: Completion? = nil
  ) {
    keep(block) { () throws(TreeError) in [.set(path, try NewValue(any: value, priority: priority))] }
  }

  /// Removes the value at that moment. Returns when that is kept.
  @discardableResult
  public func onDisconnectRemoveValue() async throws -> DatabaseReference {
    try await keep { () throws(TreeError) in [.set(path, .null)] }
  }

  /// Removes the value at that moment.
  public func onDisconnectRemoveValue(withCompletionBlock block: Completion? = nil) {
    keep(block) { () throws(TreeError) in [.set(path, .null)] }
  }

  /// Sets several paths below the node at that moment. Returns when that is kept.
  @discardableResult
  public func onDisconnectUpdateChildValues(_ values: [String: Any?]) async throws -> DatabaseReference {
    try await keep { () throws(TreeError) in try steps(of: values) }
  }

  /// Sets several paths below the node at that moment.
  public func onDisconnectUpdateChildValues(_ values: [String: Any?], withCompletionBlock block: Completion? = nil) {
    keep(block) { () throws(TreeError) in try steps(of: values) }
  }

  /// Takes back what this process asked for at and below the node. Returns when it is forgotten.
  @discardableResult
  public func cancelDisconnectOperations() async throws -> DatabaseReference {
    try requireWritable()
    try await withCheckedThrowingContinuation { continuation in
      database.cancelDisconnectWrites(below: path) { continuation.resume(with: $0) }
    }
    return self
  }

  /// Takes back what this process asked for at and below the node.
  public func cancelDisconnectOperations(withCompletionBlock block: Completion? = nil) {
    do {
      try requireWritable()
      database.cancelDisconnectWrites(below: path) { [self] in finish($0.failure, block) }
    } catch {
      finish(error, block)
    }
  }

  private func steps(of values: [String: Any?]) throws(TreeError) -> [KeptWrite.Step] {
    try ReferenceWrite.update(path, values).steps.map { step in
      switch step {
      case .set(let path, let value): .set(path, value)
      case .priority(let path, let priority): .priority(path, priority)
      }
    }
  }

  private func prepare(_ make: () throws(TreeError) -> [KeptWrite.Step]) throws -> KeptWrite {
    try requireWritable()
    return KeptWrite(user: try database.actingUser?(), try make())
  }

  private func keep(_ make: () throws(TreeError) -> [KeptWrite.Step]) async throws -> DatabaseReference {
    let write = try prepare(make)
    try await withCheckedThrowingContinuation { continuation in
      database.keepUntilDisconnected(write) { continuation.resume(with: $0) }
    }
    return self
  }

  private func keep(_ block: Completion?, _ make: () throws(TreeError) -> [KeptWrite.Step]) {
    do {
      database.keepUntilDisconnected(try prepare(make)) { [self] in finish($0.failure, block) }
    } catch {
      finish(error, block)
    }
  }

  // MARK: Going offline

  /// Ends every connection of this process, and exchanges nothing until `goOnline`: `Database.goOffline`.
  public func goOffline() { database.goOffline() }

  /// Takes up again what `goOffline` ended: `Database.goOnline`.
  public func goOnline() { database.goOnline() }
}

extension Result where Failure == any Error {
  fileprivate var failure: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}
