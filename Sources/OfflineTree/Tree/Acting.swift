/// The change that is being applied, and what it leaves to be done at its end.
struct Acting {
  let dot: Dot
  let stamp: Stamp
  /// What the change had seen: it removes nothing else.
  let context: Context
  /// Elements of add-only sets in which this change is a creator, and those in which it is not.
  var creates: [PathKey: Bool] = [:]
  /// Elements that this change creates and in which nothing was before.
  var fresh: Set<PathKey> = []
  /// Elements whose owner may have changed.
  var contested: Set<PathKey> = []
  /// Paths above rows that have left the tree: what is hidden there may show now.
  var uncovered: Set<PathKey> = []
  /// For each log, its increments that the change had not seen, by path: read once, when a part was seen in part.
  var unseen: [Int: Unseen] = [:]

  init(dot: Dot, stamp: Stamp, context: Context) {
    self.dot = dot
    self.stamp = stamp
    self.context = context
  }

  /// Increments of a log up to a number.
  struct Unseen {
    var end: UInt64
    var increments: [PathKey: [(seq: UInt64, number: Scalar)]] = [:]
  }

  func sees(_ item: some Ordered) -> Bool { context.covers(item.dot.log, item.dot.seq) }
}
