/// Keys of `own` add-only sets that this process made and has not used yet, with what binds them to this device.
///
/// A key can be handed around as a text before anything is written under it; the write then finds its nonce here.
struct OwnKeys: Sendable {
  private var nonces: [PathKey: UInt64] = [:]
  /// The elements in the order in which their keys were made: the oldest give way.
  private var order: [PathKey] = []
  private var oldest = 0
  private var lastTime: [PathKey: Int64] = [:]

  /// Beyond so many, the key that was made first is forgotten.
  static let limit = 16_384

  subscript(element: PathKey) -> UInt64? { nonces[element] }

  /// The millisecond of the next key in a set: above those of all before, also when the clock steps back.
  mutating func time(in set: PathKey, now: Int64, last: Int64?) -> Int64 {
    let time = max(now, (last ?? -1) + 1, (lastTime[set] ?? -1) + 1)
    if lastTime.count >= OwnKeys.limit { lastTime = [:] }
    lastTime[set] = time
    return time
  }

  mutating func insert(_ binding: ElementBinding) {
    nonces[binding.element] = binding.nonce
    if order.count < OwnKeys.limit { return order.append(binding.element) }
    nonces[order[oldest]] = nil
    order[oldest] = binding.element
    oldest = (oldest + 1) % OwnKeys.limit
  }
}

extension Database {
  /// A key for a new child that sorts after those made before it, without a write.
  ///
  /// In an `own` add-only set it is bound to this device; what is written under it later, by a write of this process,
  /// carries what binds it.
  /// - Returns: The key, and in an `own` set what binds it.
  package func makeKey(in path: Path) throws(TreeError) -> (key: Key, binding: ElementBinding?) {
    let now = environment.wallClock()
    let plain = newKey(now, environment.randomBytes(PushID.chanceBytes))
    let parent = PathKey(path)
    let (isOwn, last) = try view { rows, replica in
      guard let element = replica.declarations.element(of: try parent.child(plain)), element.keys == .own,
        element.path.levels == parent.levels + 1
      else { return (false, Int64?.none) }
      return (true, try WriteTransaction.lastTime(in: parent, before: now, rows))
    }
    guard isOwn else { return (plain, nil) }
    let time = ownKeys.withLock { $0.time(in: parent, now: now, last: last) }
    let nonce = RowKey.number(environment.randomBytes(8))
    let key = ElementBinding.key(space: spaceID, device: deviceKey, milliseconds: time, nonce: nonce)
    let binding = ElementBinding(element: try parent.child(key), nonce: nonce)
    ownKeys.withLock { $0.insert(binding) }
    return (key, binding)
  }
}
