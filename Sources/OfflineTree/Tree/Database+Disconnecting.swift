/// Writes that are made when this device is cut off: kept as rows, so that a crash does not lose them, and removed by
/// the commit that makes them, so that none is made twice.
///
/// They belong to the open database that was asked for them, which holds a lock as long as it lives. Whoever opens the
/// home makes those whose owner has died.
final class DisconnectOwner: Sendable {
  struct State {
    var name: Bytes16?
    var lock: OwnerLock?
    var count: UInt64 = 0
  }

  let state = Monitor(State())
}

enum DisconnectRow {
  static let prefix = Array("disconnect ".utf8)

  static func key(_ owner: Bytes16, _ number: UInt64) -> [UInt8] { prefix + owner.bytes + RowKey.commit(number) }

  static func owner(of key: [UInt8]) -> Bytes16? {
    key.count == prefix.count + 24 ? Bytes16(key[prefix.count..<prefix.count + 16]) : nil
  }
}

extension Database {
  private var disconnecting: DisconnectOwner { attachment(DisconnectOwner.self) { DisconnectOwner() } }

  private func lockPath(of owner: Bytes16) -> String { "\(home)/disconnect-\(owner).lock" }

  /// Keeps a write until this device is cut off.
  func keepUntilDisconnected(_ write: KeptWrite, completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
    do {
      let (owner, number) = try disconnecting.state.withLock { state in
        let name = state.name ?? Bytes16(environment.randomBytes(16))
        if state.lock == nil { state.lock = try OwnerLock(lockPath(of: name)) }
        state.name = name
        state.count += 1
        return (name, state.count)
      }
      let bytes = write.encoded
      queue.enqueue({ rows, _ in try rows.put(.meta, DisconnectRow.key(owner, number), bytes) }, answer: completion)
    } catch {
      completion(.failure(error))
    }
  }

  /// Forgets what was to be written at and below a path.
  func cancelDisconnectWrites(
    below path: Path, completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    guard let owner = disconnecting.state.withLock({ $0.name }) else { return completion(.success(())) }
    queue.enqueue(
      { rows, _ in
        for (key, value) in try Self.disconnectRows(rows) where DisconnectRow.owner(of: key) == owner {
          var write = try KeptWrite(decoding: value)
          write.steps.removeAll { $0.path.starts(with: path) }
          if write.steps.isEmpty { try rows.delete(.meta, key) } else { try rows.put(.meta, key, write.encoded) }
        }
      }, answer: completion)
  }

  /// This device was cut off: makes what was kept for that. Returns before it is made.
  func disconnected() {
    guard let owner = disconnecting.state.withLock({ $0.name }) else { return }
    make(of: [owner])
  }

  /// Makes what was kept for that, and forgets who it belonged to.
  func disconnectForGood() {
    disconnected()
    let lock = disconnecting.state.withLock { state in
      defer { state = DisconnectOwner.State() }
      return state.lock
    }
    guard let lock else { return }
    // Behind the writes, so that nobody takes them for those of the dead.
    queue.enqueue({ _, _ in }, answer: { [weak self] (_: Result<Void, any Error>) in self?.remove(lock) })
  }

  /// Makes what those wanted who had this home open and died. A copy of a home drops it: the home itself may live on.
  func disconnectDead() {
    do throws(TreeError) {
      let owners = try view { rows, _ in
        Set(try Self.disconnectRows(rows).compactMap { DisconnectRow.owner(of: $0.key) })
      }
      for owner in owners { try disconnectIfDead(owner) }
    } catch {
      // The home can be used all the same.
      failures(error, .root)
    }
  }

  private func disconnectIfDead(_ owner: Bytes16) throws(TreeError) {
    let lock: OwnerLock
    do throws(TreeError) {
      lock = try OwnerLock(lockPath(of: owner))
    } catch {
      if error.code == .unavailable { return }
      throw error
    }
    make(of: [owner], isDropped: isCopy)
    queue.enqueue({ _, _ in }, answer: { [weak self] (_: Result<Void, any Error>) in self?.remove(lock) })
  }

  private func remove(_ lock: OwnerLock) {
    do throws(TreeError) {
      try lock.remove()
    } catch {
      failures(error, .root)
    }
  }

  private func make(of owners: Set<Bytes16>, isDropped: Bool = false) {
    do throws(TreeError) {
      let kept = try view { rows, _ in
        try Self.disconnectRows(rows).filter { DisconnectRow.owner(of: $0.key).map(owners.contains) ?? false }
      }
      for (key, value) in kept { make(key, value, isDropped: isDropped) }
    } catch {
      failures(error, .root)
    }
  }

  /// Makes one, and removes its row in the same commit; one that may not be made is told of, and removed.
  private func make(_ key: [UInt8], _ value: [UInt8], isDropped: Bool) {
    queue.enqueue(
      { [self] rows, state in
        // Somebody else may have made it, or changed it.
        guard try rows.get(.meta, key) == value else { return }
        try rows.delete(.meta, key)
        if isDropped { return }
        let write = try KeptWrite(decoding: value)
        try perform(write.user, false, { try write.perform($0) }, rows, &state)
      },
      answer: { [weak self] (result: Result<Void, any Error>) in
        if case .failure(let error) = result { self?.cannotMake(key, value, error) }
      })
  }

  private func cannotMake(_ key: [UInt8], _ value: [UInt8], _ error: any Error) {
    failures(error, (try? KeptWrite(decoding: value))?.steps.first?.path ?? .root)
    guard (error as? TreeError)?.code == .refused else { return }
    queue.enqueue(
      { rows, _ in try rows.delete(.meta, key) },
      answer: { [weak self] (result: Result<Void, any Error>) in
        if case .failure(let error) = result { self?.failures(error, .root) }
      })
  }

  private static func disconnectRows(
    _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> [(key: [UInt8], value: [UInt8])] {
    try rows.withCursor(.meta) { (cursor) throws(TreeError) in
      var found: [(key: [UInt8], value: [UInt8])] = []
      var isFound = try cursor.seek(atLeast: DisconnectRow.prefix)
      while isFound, cursor.keyBytes.starts(with: DisconnectRow.prefix) {
        found.append((cursor.keyBytes, cursor.valueBytes))
        isFound = try cursor.next()
      }
      return found
    }
  }
}
