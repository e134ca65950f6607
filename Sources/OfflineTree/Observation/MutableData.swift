/// The data that a transaction works on: what is at a node, and what is to be there.
///
/// Valid only during the transaction's block, and only on its thread.
public final class MutableData {
  /// What the parts of one node share.
  private final class Whole {
    var value: NewValue
    /// The first thing that was set and cannot be stored.
    var failure: TreeError?

    init(_ value: NewValue) { self.value = value }
  }

  private let whole: Whole
  private let keys: [Key]
  /// The last key of the path; nil at the root.
  public let key: String?

  init(_ value: NewValue, key: String?) {
    whole = Whole(value)
    keys = []
    self.key = key
  }

  private init(_ whole: Whole, _ keys: [Key]) {
    self.whole = whole
    self.keys = keys
    key = keys.last?.text
  }

  /// What the block has made of it.
  /// - Throws: What was set and cannot be stored.
  func result() throws(TreeError) -> NewValue {
    if let failure = whole.failure { throw failure }
    return whole.value
  }

  private var node: NewValue {
    get { keys.reduce(whole.value) { $0[$1] } }
    set { whole.value.set(newValue, at: keys[...]) }
  }

  private func attempt(_ body: () throws(TreeError) -> Void) {
    do throws(TreeError) {
      try body()
    } catch {
      whole.failure = whole.failure ?? error
    }
  }

  /// The value, as `DataSnapshot.value`; nil removes it. Setting it takes the priority away.
  ///
  /// What cannot be stored makes the transaction fail.
  public var value: Any? {
    get { node.any }
    set { attempt { () throws(TreeError) in node = try NewValue(any: newValue) } }
  }

  /// The priority: nil, a number, a string or a `ServerValue`. Of no effect where there is no value.
  public var priority: Any? {
    get { node.priority.flatMap { NewValue(priority: $0).any } }
    set {
      attempt { () throws(TreeError) in
        let priority = try NewValue.Priority(any: newValue)
        var changed = node
        guard changed.content != .null else { return }
        changed.priority = priority == .null ? nil : priority
        node = changed
      }
    }
  }

  /// The children, in key order.
  public var children: [MutableData] { node.members.map { MutableData(whole, keys + [$0.key]) } }

  public var childrenCount: UInt { UInt(node.members.count) }

  public func hasChildren() -> Bool { !node.members.isEmpty }

  /// Is there a value at a path below the node? False for a path that cannot be one.
  public func hasChild(atPath path: String) -> Bool {
    guard let below = try? Path(path) else { return false }
    return (keys + below.keys).reduce(whole.value) { $0[$1] }.content != .null
  }

  /// The data at a path below the node. A path that cannot be one makes the transaction fail.
  public func childData(byAppendingPath path: String) -> MutableData {
    do throws(TreeError) {
      return MutableData(whole, keys + (try Path(path)).keys)
    } catch {
      whole.failure = whole.failure ?? error
      return MutableData(Whole(.null), keys)
    }
  }
}

extension NewValue {
  /// A value with its priorities.
  init(_ value: Value, at path: PathKey, _ priorities: [PathKey: Scalar]) {
    if priorities.isEmpty {
      self.init(value)
      return
    }
    let priority = priorities[path].map { Priority.scalar($0) }
    guard let object = value.object else {
      self = NewValue(value)
      if content != .null { self.priority = priority }
      return
    }
    self.init(
      members: object.members.map { member in
        Member(member.key, NewValue(member.value, at: path.appending(Path(trusted: [member.key])), priorities))
      }, priority: priority)
  }

  init(priority: Priority) {
    switch priority {
    case .null: self = .null
    case .scalar(let scalar): self.init(scalar)
    case .timestamp: self = .timestamp
    case .increment(let delta): self.init(content: .increment(delta))
    }
  }

  var members: [Member] { if case .object(let members) = content { members } else { [] } }

  subscript(key: Key) -> NewValue {
    members.first { UTF8Text.areEqual($0.key.text, key.text) }?.value ?? .null
  }

  fileprivate mutating func set(_ value: NewValue, at keys: ArraySlice<Key>) {
    guard let key = keys.first else {
      self = value
      return
    }
    var child = self[key]
    child.set(value, at: keys.dropFirst())
    // Below a leaf an object comes in its place, and keeps its priority.
    let others = members.filter { !UTF8Text.areEqual($0.key.text, key.text) }
    self = NewValue(members: others + [Member(key, child)], priority: priority)
  }

  /// As Firebase's SDK hands it out; a server value as what it was made of.
  fileprivate var any: Any? {
    switch content {
    case .null: nil
    case .scalar(let scalar): Value.any(scalar)
    case .timestamp: ServerValue.timestamp()
    case .increment(let delta): [".sv": ["increment": Value.any(delta)]] as [String: Any]
    case .object(let members): hasServerValues ? Value.dictionary(members.map { ($0.key, $0.value.any) }) : shown.any
    }
  }

  private var hasServerValues: Bool {
    switch content {
    case .timestamp, .increment: true
    case .object(let members): members.contains { $0.value.hasServerValues }
    case .null, .scalar: false
    }
  }

  /// Without priorities; there are no server values in it.
  private var shown: Value {
    switch content {
    case .scalar(let scalar): Value(scalar)
    case .object(let members): Value(members: members.map { (key: $0.key, value: $0.value.shown) })
    default: .null
    }
  }
}
