/// The sessions of somebody on one device, so kept that whoever looks for the one that counts passes over those that
/// cannot, however many there are.
///
/// What a block says of the sessions below it leaves none out; it may let some in that do not count after all.
struct SessionTree: Sendable {
  struct Block: Sendable {
    var count = 0
    /// How many of them a record grants that is not void.
    var standing = 0
    /// How many of those nothing ends, in anybody's eyes.
    var open = 0
    /// By log: the first record that grants one of them.
    var granted: [Int: UInt64] = [:]
    /// By log: the last record that ends one of them, of the first ends of each.
    var ended: [Int: UInt64] = [:]
    /// What such records had seen.
    var reach = Context()
    /// No state behind one of them is above this version, or of this version and below this key.
    var version: UInt64 = 0
    var key = Bytes32.zero

    mutating func admit(version: UInt64, key: Bytes32) {
      if isBelow(version: version, key: key) { (self.version, self.key) = (version, key) }
    }

    /// Is each of them below a state that is elsewhere, or of that state?
    func isBelow(version: UInt64, key: Bytes32) -> Bool {
      self.version != version ? self.version < version : self.key >= key
    }

    /// May one of them count in the eyes of a change, as far as what grants and ends them goes?
    func mayCount(_ act: Authority.Act, _ step: People.Step) -> Bool {
      guard isGranted(act) else { return false }
      if open > 0 { return true }
      if step != .all { return ended.contains { log, seq in !act.context.covers(log, seq) } }
      // An end reaches neither what it had seen nor its own change.
      return reach.covers(act.dot.log, act.dot.seq) || ended[act.dot.log].map { act.dot.seq <= $0 } ?? false
    }

    /// May a record be there that stands and grants one of them?
    func isGranted(_ act: Authority.Act) -> Bool {
      standing > 0
        && granted.contains { log, seq in act.context.covers(log, seq) || act.dot.log == log && act.dot.seq >= seq }
    }
  }

  private var grants: [(id: Bytes16, key: Bytes32)] = []
  /// The sessions one by one, then blocks of `width` of them, and so on up to one block of all.
  private var levels: [[Block]] = [[]]
  private static let width = 16

  // MARK: Keeping up

  /// Adds a session that nothing grants yet, and gives its place.
  mutating func append(_ id: Bytes16, version: UInt64, key: Bytes32) -> Int {
    let place = grants.count
    grants.append((id, key))
    var index = place
    for level in levels.indices {
      if index == levels[level].count { levels[level].append(Block(version: version, key: key)) }
      index /= SessionTree.width
    }
    if levels[levels.count - 1].count > 1 { grow() }
    change(place) { block in
      block.count += 1
      block.admit(version: version, key: key)
    }
    return place
  }

  /// Puts a block above the one that was of all, and is full.
  private mutating func grow() {
    levels.append([levels[levels.count - 1][0]])
  }

  /// Keeps another record that grants a session, and stands as far as anybody knows.
  mutating func grant(_ place: Int, by dot: Dot) {
    let (isBack, isOpen) = (levels[0][place].standing == 0, levels[0][place].ended.isEmpty)
    change(place) { block in
      block.granted[dot.log] = min(block.granted[dot.log] ?? dot.seq, dot.seq)
      if isBack { block.standing += 1 }
      if isBack, isOpen { block.open += 1 }
    }
  }

  /// Passes over a session, since what grants it is void, until another record grants it.
  mutating func drop(_ place: Int) {
    let (standing, open) = (levels[0][place].standing, levels[0][place].open)
    change(place) { block in
      block.standing -= standing
      block.open -= open
    }
  }

  mutating func admit(_ place: Int, version: UInt64, key: Bytes32) {
    change(place) { $0.admit(version: version, key: key) }
  }

  /// Keeps what ends a session. The first end does: no other lets it count where this one does not.
  mutating func end(_ place: Int, by record: Authority.Record) {
    if !levels[0][place].ended.isEmpty { return }
    let open = levels[0][place].open
    change(place) { block in
      block.open -= open
      block.ended[record.dot.log] = max(block.ended[record.dot.log] ?? 0, record.dot.seq)
      block.reach.formUnion(record.context)
    }
  }

  /// Forgets all ends, and what was dropped. O(sessions).
  mutating func reopen() {
    for level in levels.indices {
      for index in levels[level].indices {
        let count = levels[level][index].count
        (levels[level][index].standing, levels[level][index].open) = (count, count)
        (levels[level][index].ended, levels[level][index].reach) = ([:], Context())
      }
    }
  }

  private mutating func change(_ place: Int, _ body: (inout Block) -> Void) {
    var index = place
    for level in levels.indices {
      body(&levels[level][index])
      index /= SessionTree.width
    }
  }

  // MARK: Looking

  /// Calls `body` with sessions that may be wanted, as a rule the best first, until it says no.
  /// - Complexity: O(log(sessions)) for each call.
  func forEach(where isWanted: (Block) -> Bool, _ body: ((id: Bytes16, key: Bytes32)) -> Bool) {
    if !grants.isEmpty { _ = walk(levels.count - 1, 0, isWanted, body) }
  }

  private func walk(
    _ level: Int, _ index: Int, _ isWanted: (Block) -> Bool, _ body: ((id: Bytes16, key: Bytes32)) -> Bool
  ) -> Bool {
    // What `body` found since may have made it unwanted.
    guard isWanted(levels[level][index]) else { return true }
    if level == 0 { return body(grants[index]) }
    let below = levels[level - 1]
    let first = index * SessionTree.width
    let places = (first..<min(first + SessionTree.width, below.count)).filter { isWanted(below[$0]) }
    let sorted = places.sorted { left, right in
      let (one, other) = (below[left], below[right])
      if one.version == other.version, one.key == other.key { return left > right }
      return other.isBelow(version: one.version, key: one.key)
    }
    return sorted.allSatisfy { walk(level - 1, $0, isWanted, body) }
  }
}
