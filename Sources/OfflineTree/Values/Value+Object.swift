extension Value {
  /// The members of an object, in key order, each key once, none of them null.
  public struct Object: Sendable, Equatable {
    public let members: [Member]

    public struct Member: Sendable, Equatable {
      public let key: OfflineTree.Key
      public let value: Value

      public init(_ key: OfflineTree.Key, _ value: Value) {
        self.key = key
        self.value = value
      }
    }

    /// Sorts, drops what is null, and of a key's rivals keeps the last one.
    /// - Complexity: O(n log n), O(n) if they are in order.
    public init(_ members: some Sequence<(key: OfflineTree.Key, value: Value)>) {
      self.members = inKeyOrder(members.map { ($0.key, $0.value) })
        .filter { !$0.1.isNull }
        .map { Member($0.0, $0.1) }
    }

    /// For members that are in order, each key once, none null.
    package init(sorted members: [Member]) {
      self.members = members
    }

    public var isEmpty: Bool { members.isEmpty }
    public var count: Int { members.count }
    public var keys: [OfflineTree.Key] { members.map(\.key) }

    /// The member's value, or nil.
    /// - Complexity: O(log n).
    public subscript(key: OfflineTree.Key) -> Value? {
      var (low, high) = (0, members.count)
      while low < high {
        let middle = (low + high) / 2
        if members[middle].key < key { low = middle + 1 } else { high = middle }
      }
      return low < members.count && members[low].key == key ? members[low].value : nil
    }

    public subscript(text: String) -> Value? { (try? OfflineTree.Key(text)).flatMap { self[$0] } }
  }
}

/// The pairs in key order; of those with one key only the last stays.
func inKeyOrder<Item>(_ pairs: [(Key, Item)]) -> [(Key, Item)] {
  let areInOrder = zip(pairs, pairs.dropFirst()).allSatisfy { $0.0 < $1.0 }
  if areInOrder { return pairs }
  let sorted = pairs.enumerated().sorted { left, right in
    if left.element.0 == right.element.0 { return left.offset < right.offset }
    return left.element.0 < right.element.0
  }
  var result: [(Key, Item)] = []
  for (_, pair) in sorted {
    if let last = result.last, last.0 == pair.0 { result.removeLast() }
    result.append(pair)
  }
  return result
}
