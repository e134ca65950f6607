internal import Dispatch

/// What a transaction's block wants.
public struct TransactionResult {
  let data: MutableData?

  /// To store what the block has made of the data.
  public static func success(withValue value: MutableData) -> TransactionResult { TransactionResult(data: value) }

  /// To leave everything as it is.
  public static func abort() -> TransactionResult { TransactionResult(data: nil) }
}

/// Transactions: reading what is there and writing what follows from it, as one change.
///
/// The block is called on the writer's thread with the newest that is on this device; nobody on this device writes
/// meanwhile, so that there is nothing to try again. All the same it may be called twice, when the write has to be begun
/// anew: let it do nothing but work on the data, and never write to the database itself.
///
/// Only what the block has changed is written, leaf by leaf: what others changed beside it, without knowing of each
/// other, stays. Of two devices that change the same leaf at the same time one wins; to count, write
/// `ServerValue.increment`, in a transaction or without one, of which none is lost.
extension DatabaseReference {
  public typealias TransactionBlock = @Sendable (MutableData) -> TransactionResult
  public typealias TransactionCompletion = @Sendable ((any Error)?, _ committed: Bool, DataSnapshot?) -> Void

  /// Runs a transaction. Returns when it is durable, or aborted.
  /// - Returns: Whether something was to be stored, and what is there now.
  /// - Throws: What kept it from being stored.
  @discardableResult
  public func runTransactionBlock(_ block: @escaping TransactionBlock) async throws -> (Bool, DataSnapshot) {
    try requireWritable()
    let user = try database.actingUser?()
    let (isCommitted, copy) = try await database.write(as: user, transaction(block))
    return (isCommitted, DataSnapshot(self, copy))
  }

  /// Runs a transaction, and returns at once. What keeps it from being stored is told to `Database.failures`.
  public func runTransactionBlock(_ block: @escaping TransactionBlock) {
    run(block) { [self] error, _, _ in if let error { finish(error, nil) } }
  }

  /// Runs a transaction, returns at once, and tells `completion` of the outcome on `Database.callbackQueue`.
  public func runTransactionBlock(
    _ block: @escaping TransactionBlock, andCompletionBlock completion: @escaping TransactionCompletion
  ) {
    run(block) { [self] error, isCommitted, snapshot in
      database.callbackQueue.async { completion(error, isCommitted, snapshot) }
    }
  }

  /// The same. There are no events of what is not stored, whether they are wanted or not, as the block is never wrong
  /// about what is there.
  public func runTransactionBlock(
    _ block: @escaping TransactionBlock, andCompletionBlock completion: @escaping TransactionCompletion,
    withLocalEvents localEvents: Bool
  ) {
    runTransactionBlock(block, andCompletionBlock: completion)
  }

  private func run(_ block: @escaping TransactionBlock, _ completion: @escaping TransactionCompletion) {
    do {
      try requireWritable()
      database.write(as: try database.actingUser?(), transaction(block)) { [self] result in
        switch result {
        case .success((let isCommitted, let copy)): completion(nil, isCommitted, DataSnapshot(self, copy))
        case .failure(let error): completion(error, false, nil)
        }
      }
    } catch {
      completion(error, false, nil)
    }
  }

  private func transaction(
    _ block: @escaping TransactionBlock
  ) -> @Sendable (WriteTransaction) throws -> (Bool, CopiedNode) {
    { [path, key, binding = location.binding] transaction in
      let before = try transaction.copy(of: path)
      let old = NewValue(before.copy, at: before.base, before.shown)
      guard let data = block(MutableData(old, key: key)).data else { return (false, before) }
      let new = try data.result()
      if let binding, before.copy.isNull { transaction.bind(binding) }
      var write = ReferenceWrite()
      write.addDifference(from: old, to: new, at: path)
      try write.perform(binding: nil, transaction)
      return (true, try transaction.copy(of: path))
    }
  }
}

extension WriteTransaction {
  /// A copy of what is at a path, as it would be now.
  fileprivate func copy(of path: Path) throws -> CopiedNode {
    let node = PathKey(path)
    return try withRows(touching: node) { rows, replica in
      try CopiedNode(copying: node, rows, try replica ?? self.replica())
    }
  }
}

extension ReferenceWrite {
  /// What makes one value another, leaf by leaf.
  fileprivate mutating func addDifference(from old: NewValue, to new: NewValue, at path: Path) {
    if old == new { return }
    guard !old.members.isEmpty, !new.members.isEmpty else { return add(.set(path, new)) }
    var rest = old.members[...]
    for member in new.members {
      while let first = rest.first, first.key < member.key { remove(rest.removeFirst(), path) }
      let isKnown = rest.first.map { $0.key == member.key } ?? false
      addDifference(
        from: isKnown ? rest.removeFirst().value : .null, to: member.value, at: Path(trusted: path.keys + [member.key]))
    }
    for member in rest { remove(member, path) }
    if old.priority != new.priority { add(.priority(path, new.priority ?? .null)) }
  }

  private mutating func remove(_ member: NewValue.Member, _ path: Path) {
    add(.set(Path(trusted: path.keys + [member.key]), .null))
  }
}
