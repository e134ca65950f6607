internal import OfflineTree

/// What goes into one change as a whole.
enum ImportUnit: Sendable {
  case leaf(Path, Scalar)
  case priority(Path, Scalar)
  case element(ImportElement)
  case vote(counter: Path, voter: Key)

  /// About how many bytes of a change it takes.
  var byteCount: Int {
    switch self {
    case .leaf(let path, let value), .priority(let path, let value):
      ImportUnit.byteCount(path) + ImportUnit.byteCount(value)
    case .element(let element): element.byteCount
    case .vote(let counter, let voter): ImportUnit.byteCount(counter) + voter.text.utf8.count + 4
    }
  }

  /// How much it counts in a change. A vote's rows are far apart, and every page that a change touches is in memory until
  /// it is committed.
  var operationCount: Int {
    switch self {
    case .leaf, .priority: 2
    case .element(let element): element.leaves.count + element.priorities.count + 2
    case .vote: 4
    }
  }

  static func byteCount(_ path: Path) -> Int { path.keys.reduce(8) { $0 + $1.text.utf8.count + 1 } }

  static func byteCount(_ value: Scalar) -> Int {
    if case .string(let text) = value { text.utf8.count + 8 } else { 12 }
  }
}

/// An element of an add-only set, which one change has to create as a whole.
struct ImportElement: Sendable {
  let path: Path
  /// Paths below the element, and what the document has there; a counter's number is its count less its flags.
  var leaves: [(path: Path, value: Scalar)] = []
  var priorities: [(path: Path, value: Scalar)] = []
  /// For the counters in it that have flags.
  var counters: [Path: Counter] = [:]
  private(set) var byteCount = 64

  struct Counter: Sendable {
    /// What the document shows.
    let count: Scalar
    /// What the number lacks because it is rounded; nil for the usual nothing.
    let remainder: Scalar?
    /// What the votes here came to before the import.
    let votesBefore: Int64
  }

  init(_ path: Path) {
    self.path = path
  }

  mutating func add(_ path: Path, _ value: Scalar) {
    leaves.append((path, value))
    byteCount += ImportUnit.byteCount(path) + ImportUnit.byteCount(value)
  }

  mutating func add(priority value: Scalar, at path: Path) {
    priorities.append((path, value))
    byteCount += ImportUnit.byteCount(path) + ImportUnit.byteCount(value)
  }

  /// The element as one value, priorities included.
  var newValue: NewValue {
    value(leaves.map { (keys: $0.path.keys[path.keys.count...], value: $0.value) }[...], at: path.keys[...])
  }

  private func value(_ leaves: ArraySlice<(keys: ArraySlice<Key>, value: Scalar)>, at place: ArraySlice<Key>)
    -> NewValue
  {
    let priority = priorities.last { $0.path.keys[...] == place }.map { NewValue.Priority.scalar($0.value) }
    if let leaf = leaves.last, leaf.keys.isEmpty {
      return NewValue(content: .scalar(leaf.value), priority: priority)
    }
    var members: [NewValue.Member] = []
    var rest = leaves.filter { !$0.keys.isEmpty }[...]
    while let key = rest.first?.keys.first {
      let group = rest.prefix { $0.keys.first == key }
      rest = rest.dropFirst(group.count)
      members.append(.init(key, value(group.map { ($0.keys.dropFirst(), $0.value) }[...], at: place + [key])))
    }
    return NewValue(members: members, priority: priority)
  }
}
