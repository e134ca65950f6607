/// One change in the making: what is written in the closure becomes one change, or nothing if the closure throws.
///
/// Reads see the effect of the writes before them. Valid only during the execution of the closure, which may run twice.
public final class WriteTransaction: ReadTransaction {
  private(set) var form = NormalForm()
  private(set) var bindings: [PathKey: ElementBinding] = [:]
  private var lastBoundTime: [PathKey: Int64] = [:]
  private let state: Replica
  let user: Key?
  let wallTime: Int64
  private let randomBytes: (Int) -> [UInt8]
  private let makeKey: (_ milliseconds: Int64, _ chance: [UInt8]) -> Key
  /// Set by an import: elements may have keys that are bound to other devices.
  private let isImport: Bool

  init(
    _ rows: borrowing StoreTransaction, _ state: Replica, user: Key?, isImport: Bool, wallTime: Int64,
    randomBytes: @escaping (Int) -> [UInt8], makeKey: @escaping (_ milliseconds: Int64, _ chance: [UInt8]) -> Key
  ) {
    self.state = state
    self.user = user
    self.isImport = isImport
    self.wallTime = wallTime
    self.makeKey = makeKey
    self.randomBytes = randomBytes
    super.init(rows) { _ in state }
  }

  override func withRows<R>(
    touching path: PathKey, _ body: (borrowing StoreTransaction, Replica?) throws -> R
  ) throws -> R {
    guard !form.isEmpty, form.touches(path) else { return try body(rows, nil) }
    var draft = state
    let change = Change(parents: [], stamp: .zero, wallTime: wallTime, operations: form.operations)
    return try rows.withDraft { rows in
      try draft.preview(change, rows)
      return try body(rows, draft)
    }
  }

  /// What was written so far, as it will be stored.
  var draft: Replica.Draft {
    Replica.Draft(
      author: user, isImport: isImport, bindings: bindings.values.sorted { $0.element < $1.element },
      operations: form.operations, wallTime: wallTime)
  }

  // MARK: Writing

  /// Puts a value at a path in place of everything that is there. Server values are resolved; an increment inside
  /// adds to what is there.
  ///
  /// At a flag of the user who writes, true and null are that user's vote.
  /// - Throws: `refused` where the path is in an add-only element that exists, or is somebody else's flag.
  public func setValue(_ value: NewValue, at path: Path) throws {
    try update([(PathKey(path), value)])
  }

  public func setValue(_ value: Value, at path: Path) throws {
    try setValue(NewValue(value), at: path)
  }

  /// Sets several values below a path at once; none of their paths may be inside another.
  public func updateChildren(_ children: [(Path, NewValue)], at path: Path) throws {
    let keys = try children.map { (PathKey(try path.appending($0.0)), $0.1) }
    try checkOverlap(keys.map(\.0))
    try update(keys)
  }

  /// Removes what is at a path and below.
  public func removeValue(at path: Path) throws { try setValue(NewValue.null, at: path) }

  /// Adds to the number at a path. Nothing counts as 0; what is no number is replaced.
  public func increment(_ path: Path, by number: Scalar) throws {
    try increment(PathKey(path), by: try NewValue.increment(number))
  }

  private func increment(_ path: PathKey, by value: NewValue) throws {
    guard case .increment(let number) = value.content else { return }
    if let now = try checkCounter(path), !now.isNumber { form.append(.clear(path)) }
    form.append(.increment(path, by: number))
  }

  /// Records that the choice of a voter at a counter is now -1, 0 or 1.
  public func vote(_ path: Path, voter: Key, choice: Int) throws {
    let key = PathKey(path)
    guard (-1...1).contains(choice) else {
      throw TreeError(.invalidArgument, "\(choice) is no choice", advice: "Vote -1, 0 or 1.")
    }
    if let now = try checkCounter(key), !now.isNumber {
      throw TreeError(.refused, "\(path) is no number", advice: "Votes count only at numbers.")
    }
    if !state.declarations.flagsFit(counter: key, voter: voter) {
      throw TreeError(.limitExceeded, "the flag of \(voter) would be too long a path", advice: "Use a shorter name.")
    }
    form.append(.vote(key, voter: voter, choice: Int8(choice)))
  }

  /// Sets the priority of a node that has a value; does nothing where there is none.
  public func setPriority(_ priority: Scalar?, at path: Path) throws {
    let key = PathKey(path)
    if case .bool? = priority { throw TreeError(.invalidArgument, "a priority is a number, a string or null") }
    try checkWritable(key, elements: [key])
    guard try exists(at: path) else { return }
    form.append(.priority(key, try priority?.normalized()))
  }

  /// Adds a child under a new key, and returns the key.
  public func push(_ value: NewValue, to path: Path) throws -> Key {
    let key = try newKey(in: path)
    try setValue(value, at: try path.child(key))
    return key
  }

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
    var last = lastBoundTime[set]
    if last == nil, let key = try rows.child(of: set, from: set.bytes + [0xFF], reversed: true)?.lastKey {
      last = PushID.milliseconds(of: key).flatMap { $0 < wallTime + WriteTransaction.clockTolerance ? $0 : nil }
    }
    let time = max(wallTime, last.map { $0 + 1 } ?? 0)
    lastBoundTime[set] = time
    return time
  }

  private static let clockTolerance: Int64 = 60_000

  package func bind(_ binding: ElementBinding) { bindings[binding.element] = binding }

  // MARK: Applying values

  /// Sets values one after another, as one write: only what was there before the closure began is protected.
  private func update(_ values: [(PathKey, NewValue)]) throws {
    for (path, value) in values { try set(path, value) }
  }

  private func set(_ path: PathKey, _ value: NewValue) throws {
    if let vote = state.declarations.vote(flag: path) { return try setFlag(path, vote, value) }
    var leaves = NewLeaves(wallTime: wallTime)
    try leaves.collect(value, at: path)
    try checkWritable(path, elements: leaves.paths)
    if leaves.isOnePut(at: path) {
      form.append(.put(path, leaves.puts[0].1))
    } else if leaves.increments.isEmpty {
      form.append(.clear(path))
      for (path, scalar) in leaves.puts { form.append(.put(path, scalar)) }
    } else {
      try setAround(leaves, at: path)
    }
    for (path, value) in leaves.priorities {
      if case .increment(let number) = value {
        let old = try priority(at: path.path)
        form.append(.priority(path, old?.isNumber == true ? ExactSum(number).rounded(adding: old) : number))
      } else {
        form.append(.priority(path, leaves.resolve(value)))
      }
    }
  }

  /// A set with increments inside: clears what is beside them, so that they add to what is there.
  private func setAround(_ leaves: NewLeaves, at path: PathKey) throws {
    let kept = Set(leaves.increments.map(\.0))
    var above: Set<PathKey> = []
    for path in kept { above.formUnion(path.ancestors) }
    try clearSiblings(path, kept: kept, above: above)
    for (path, scalar) in leaves.puts { form.append(.put(path, scalar)) }
    for (path, number) in leaves.increments { try increment(path, by: NewValue(content: .increment(number))) }
  }

  private func clearSiblings(_ path: PathKey, kept: Set<PathKey>, above: Set<PathKey>) throws {
    if kept.contains(path) { return }
    guard above.contains(path) else { return form.append(.clear(path)) }
    for key in try keys(at: path.path) { try clearSiblings(try path.child(key), kept: kept, above: above) }
  }

  private func setFlag(_ path: PathKey, _ vote: (counter: PathKey, voter: Key), _ value: NewValue) throws {
    guard let user, user == vote.voter else {
      throw TreeError(
        .refused, "\(path) shows the vote of \(vote.voter), and only \(vote.voter) can change it",
        advice: "Vote as the user who is logged in.")
    }
    switch value.content {
    case .null: try self.vote(vote.counter.path, voter: user, choice: 0)
    case .scalar(.bool(true)): try self.vote(vote.counter.path, voter: user, choice: 1)
    default:
      throw TreeError(.refused, "\(path) can only be true or null", advice: "Write true to vote, null to take it back.")
    }
  }

  /// The scalar at a counter as it would be now; `.bool` stands for an object, which is no number either.
  private func current(_ path: PathKey) throws -> Scalar? {
    guard form.mayHideNumber(at: path) else { return try current(path, rows) }
    return try withRows(touching: path) { rows, _ in try current(path, rows) }
  }

  private func current(_ path: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) -> Scalar? {
    if let scalar = try TreeReader.scalar(path, rows) { return scalar }
    return try TreeReader.exists(path, rows) ? .bool(true) : nil
  }

  // MARK: What may be written

  /// The scalar at a counter as it would be now, if the counter may be changed.
  private func checkCounter(_ path: PathKey) throws -> Scalar? {
    if state.declarations.isFlagged(path) {
      throw TreeError(.refused, "\(path) is a view of votes", advice: "Vote at the counter instead.")
    }
    let now = try current(path)
    if state.declarations.isInElement(path), !(now?.isNumber ?? false) {
      throw TreeError(
        .refused, "\(path) is in an add-only element and is no number", advice: "Only numbers there can be counted up.")
    }
    try checkSets(below: path)
    return now
  }

  private func checkWritable(_ path: PathKey, elements: [PathKey]) throws {
    try checkSets(below: path)
    for leaf in elements + [path] {
      if state.declarations.isFlagged(leaf) {
        throw TreeError(.refused, "\(leaf) is a view of votes", advice: "Vote at the counter instead.")
      }
      guard let element = state.declarations.element(of: leaf) else { continue }
      if try TreeReader.exists(element.path, rows) {
        throw TreeError(
          .refused, "\(element.path) is in an add-only set: it cannot be changed or removed",
          advice: "Add another one with push.")
      }
      if element.keys == .own, !isImport, bindings[element.path] == nil {
        throw TreeError(
          .refused, "the key of \(element.path) is not one that this device made",
          advice: "Let push make the key.")
      }
    }
  }

  private func checkSets(below path: PathKey) throws {
    for set in state.declarations.sets(atOrBelow: path) where try TreeReader.exists(set, rows) {
      throw TreeError(
        .refused, "\(set) is an add-only set: what is in it cannot be changed or removed",
        advice: "Write to the other children one by one.")
    }
  }

  private func checkOverlap(_ paths: [PathKey]) throws {
    let sorted = paths.sorted()
    for index in sorted.indices.dropFirst() where sorted[index - 1].isPrefix(of: sorted[index]) {
      throw TreeError(
        .invalidArgument, "the update's path \(sorted[index - 1]) is at or above \(sorted[index])",
        advice: "Leave one of them out.")
    }
  }
}
