/// Values by path, in the order in which they came: mostly that is path order, and then sorting costs nothing.
struct PathMap<Value> {
  private var index: [PathKey: Int] = [:]
  /// A removed entry stays as a hole.
  private var entries: [(path: PathKey, value: Value?)] = []
  private var isSorted = true

  var isEmpty: Bool { index.isEmpty }
  var count: Int { index.count }
  var paths: some Collection<PathKey> { index.keys }

  func contains(_ path: PathKey) -> Bool { index[path] != nil }

  subscript(path: PathKey) -> Value? {
    get { index[path].flatMap { entries[$0].value } }
    set {
      if let place = index[path] {
        entries[place].value = newValue
        if newValue == nil { index[path] = nil }
      } else if let newValue {
        if let last = entries.last, !(last.path < path) { isSorted = false }
        index[path] = entries.count
        entries.append((path, newValue))
      }
    }
  }

  /// Changes the value at a path in place, beginning with `initial` where there is none.
  mutating func update(_ path: PathKey, initial: @autoclosure () -> Value, _ change: (inout Value) -> Void) {
    if let place = index[path] {
      var value = entries[place].value ?? initial()
      entries[place].value = nil
      change(&value)
      entries[place].value = value
    } else {
      var value = initial()
      change(&value)
      self[path] = value
    }
  }

  /// The entries in path order.
  var sorted: [(path: PathKey, value: Value)] {
    let live = entries.compactMap { entry in entry.value.map { (path: entry.path, value: $0) } }
    return isSorted ? live : live.sorted { $0.path < $1.path }
  }
}
