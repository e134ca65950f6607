/// Keys for new children.
extension WriteTransaction {
  /// A key that sorts after those made before it; in an `own` add-only set it is bound to this device.
  public func newKey(in path: Path) throws -> Key {
    let plain = makeKey(wallTime, randomBytes(PushID.chanceBytes))
    let parent = PathKey(path)
    guard let element = state.declarations.element(of: try parent.child(plain)), element.keys == .own,
      element.path.levels == parent.levels + 1
    else { return plain }
    let time = try timeOfBoundKey(in: parent)
    let nonce = RowKey.number(randomBytes(8))
    let key = ElementBinding.key(space: state.space, device: state.device, milliseconds: time, nonce: nonce)
    bind(ElementBinding(element: try parent.child(key), nonce: nonce))
    return key
  }

  /// The millisecond of the next bound key: within one millisecond it cannot count up, and takes the next one.
  ///
  /// Above the last key that is there, so that keys go on in order when the clock steps back, unless that one is from
  /// a clock far ahead.
  private func timeOfBoundKey(in set: PathKey) throws -> Int64 {
    let last = try lastBoundTime[set] ?? WriteTransaction.lastTime(in: set, before: wallTime, rows)
    let time = max(wallTime, last.map { $0 + 1 } ?? 0)
    lastBoundTime[set] = time
    return time
  }

  /// The time of the last key in a set, unless it is from a clock far ahead of `now`.
  static func lastTime(
    in set: PathKey, before now: Int64, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Int64? {
    let last = try rows.child(of: set, from: set.bytes + [0xFF], reversed: true)?.lastKey
    return last.flatMap { PushID.milliseconds(of: $0) }.flatMap { $0 < now + clockTolerance ? $0 : nil }
  }

  private static let clockTolerance: Int64 = 60_000

  package func bind(_ binding: ElementBinding) { bindings[binding.element] = binding }
}
