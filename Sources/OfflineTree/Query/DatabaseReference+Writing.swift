internal import Dispatch

/// Writes: each is one change, seen by reads and observers of this device at once, and by others when they sync.
///
/// There are three forms of each. The `async` one returns when the change is durable, and throws what kept it from being
/// stored. The one that is not `async` returns at once: writes are made in the order of the calls, and what goes wrong
/// is told to `Database.failures`. The one with a block returns at once as well, and calls the block on
/// `Database.callbackQueue` when the change is durable, or with what went wrong.
///
/// Who is logged in at the time of the call is who writes.
extension DatabaseReference {
  public typealias Completion = @Sendable ((any Error)?, DatabaseReference) -> Void

  // MARK: setValue

  /// Puts a value in place of everything that is at and below the node, its priority included. nil removes it.
  ///
  /// - Parameter value: nil, a boolean, a number, a string, an array or a dictionary of such, a `ServerValue`, or one of
  ///   the library's own values.
  /// - Throws: `invalidArgument` for a value that cannot be stored, `refused` where it may not be written,
  ///   `limitExceeded`.
  @discardableResult
  public func setValue(_ value: Any?) async throws -> DatabaseReference {
    try await store(try prepared { () throws(TreeError) in .set(path, try NewValue(any: value)) })
  }

  /// Puts a value in place of everything that is there, and returns at once.
  public func setValue(_ value: Any?) {
    enqueue(nil) { () throws(TreeError) in .set(path, try NewValue(any: value)) }
  }

  /// Puts a value in place of everything that is there, returns at once, and tells `block` of the outcome.
  public func setValue(_ value: Any?, withCompletionBlock block: @escaping Completion) {
    enqueue(block) { () throws(TreeError) in .set(path, try NewValue(any: value)) }
  }

  /// Puts a value with a priority in place of everything that is there.
  /// - Parameter priority: nil, a number, a string or a `ServerValue`.
  @discardableResult
  public func setValue(_ value: Any?, andPriority priority: Any?) async throws -> DatabaseReference {
    try await store(try prepared { () throws(TreeError) in .set(path, try NewValue(any: value, priority: priority)) })
  }

  /// Puts a value with a priority in place of everything that is there, and returns at once.
  public func setValue(_ value: Any?, andPriority priority: Any?) {
    enqueue(nil) { () throws(TreeError) in .set(path, try NewValue(any: value, priority: priority)) }
  }

  /// Puts a value with a priority in place of everything that is there, returns at once, and tells `block`.
  public func setValue(_ value: Any?, andPriority priority: Any?, withCompletionBlock block: @escaping Completion) {
    enqueue(block) { () throws(TreeError) in .set(path, try NewValue(any: value, priority: priority)) }
  }

  // MARK: removeValue

  /// Removes what is at and below the node.
  @discardableResult
  public func removeValue() async throws -> DatabaseReference {
    try await store(try prepared { () throws(TreeError) in .set(path, .null) })
  }

  /// Removes what is at and below the node, and returns at once.
  public func removeValue() {
    enqueue(nil) { () throws(TreeError) in .set(path, .null) }
  }

  /// Removes what is at and below the node, returns at once, and tells `block`.
  public func removeValue(completionBlock block: @escaping Completion) {
    enqueue(block) { () throws(TreeError) in .set(path, .null) }
  }

  // MARK: setPriority

  /// Sets the priority of a node that has a value; does nothing where there is none.
  @discardableResult
  public func setPriority(_ priority: Any?) async throws -> DatabaseReference {
    try await store(try prepared { () throws(TreeError) in .priority(path, try NewValue.Priority(any: priority)) })
  }

  /// Sets the priority of a node that has a value, and returns at once.
  public func setPriority(_ priority: Any?) {
    enqueue(nil) { () throws(TreeError) in .priority(path, try NewValue.Priority(any: priority)) }
  }

  /// Sets the priority of a node that has a value, returns at once, and tells `block`.
  public func setPriority(_ priority: Any?, withCompletionBlock block: @escaping Completion) {
    enqueue(block) { () throws(TreeError) in .priority(path, try NewValue.Priority(any: priority)) }
  }

  // MARK: updateChildValues

  /// Sets several paths below the node at once, and leaves everything else as it is. nil removes what is at a path.
  ///
  /// - Parameter values: By path, such as "jokes/1/votes". A path may end in "/.priority".
  /// - Throws: Also `invalidArgument` if one of the paths is at, above or below another.
  @discardableResult
  public func updateChildValues(_ values: [String: Any?]) async throws -> DatabaseReference {
    try await store(try prepared { () throws(TreeError) in try .update(path, values) })
  }

  /// Sets several paths below the node at once, and returns at once.
  public func updateChildValues(_ values: [String: Any?]) {
    enqueue(nil) { () throws(TreeError) in try .update(path, values) }
  }

  /// Sets several paths below the node at once, returns at once, and tells `block`.
  public func updateChildValues(_ values: [String: Any?], withCompletionBlock block: @escaping Completion) {
    enqueue(block) { () throws(TreeError) in try .update(path, values) }
  }
}

extension DatabaseReference {
  private func prepared(_ make: () throws(TreeError) -> ReferenceWrite) throws(TreeError) -> ReferenceWrite {
    try requireWritable()
    return try make()
  }

  /// - Throws: What is wrong with the reference, or `refused` for `.info`.
  package func requireWritable() throws(TreeError) {
    try requireValid()
    if location.info != nil { throw DatabaseReference.isReadOnly }
  }

  private func store(_ write: ReferenceWrite) async throws -> DatabaseReference {
    try await perform { [binding = location.binding] in try write.perform(binding: binding, $0) }
    return self
  }

  /// Writes as whoever is logged in.
  package func perform<R: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> R) async throws -> R {
    let user = try database.actingUser?()
    return try await database.write(as: user, body)
  }

  private func enqueue(_ block: Completion?, _ make: () throws(TreeError) -> ReferenceWrite) {
    do {
      let write = try prepared(make)
      let user = try database.actingUser?()
      let binding = location.binding
      database.write(as: user) {
        try write.perform(binding: binding, $0)
      } completion: { [self] result in
        switch result {
        case .success: finish(nil, block)
        case .failure(let error): finish(error, block)
        }
      }
    } catch {
      finish(error, block)
    }
  }

  /// Tells the block, or where there is none, whoever hears of failures.
  package func finish(_ error: (any Error)?, _ block: Completion?) {
    if let block {
      database.callbackQueue.async { [self] in block(error, self) }
    } else if let error {
      database.failures(error, path)
    }
  }
}

extension NewValue {
  /// A value with the priority that was given beside it.
  init(any value: Any?, priority: Any?) throws(TreeError) {
    self = try NewValue(any: value)
    let given = try NewValue.Priority(any: priority)
    self.priority = content == .null || given == .null ? nil : given
  }
}
