/// One change in the making: what is written in the closure becomes one change, or nothing if the closure throws.
///
/// Reads see the effect of the writes before them. Valid only during the execution of the closure, which may run twice.
public final class WriteTransaction: ReadTransaction {
  var form = NormalForm()
  var bindings: [PathKey: ElementBinding] = [:]
  /// Acts that go into the same change, and count as the past of what is written.
  private var controls: [ControlOperation] = []
  var lastBoundTime: [PathKey: Int64] = [:]
  let state: Replica
  let user: Key?
  let wallTime: Int64
  let randomBytes: (Int) -> [UInt8]
  let makeKey: (_ milliseconds: Int64, _ chance: [UInt8]) -> Key
  /// What binds the key of an element that this process made before; nil for others.
  var knownNonce: (_ element: PathKey) -> UInt64? = { _ in nil }
  /// Set by an import: elements may have keys that are bound to other devices.
  let isImport: Bool

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
      controls: controls.normalized, operations: form.operations, wallTime: wallTime)
  }

  /// Adds an act to the change.
  package func act(_ operation: ControlOperation) { controls.append(operation) }

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

  func increment(_ path: PathKey, by value: NewValue) throws {
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
}
