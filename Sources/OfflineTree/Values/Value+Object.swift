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
    public init(_ members: [Member]) {
      let ordered = inKeyOrder(members, \.key)
      self.members = ordered.contains { $0.value.isNull } ? ordered.filter { !$0.value.isNull } : ordered
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

/// The items in key order; of those with one key only the last stays.
func inKeyOrder<Item>(_ items: [Item], _ key: (Item) -> Key) -> [Item] {
  let areInOrder = items.indices.dropFirst().allSatisfy { key(items[$0 - 1]) < key(items[$0]) }
  if areInOrder { return items }
  // The standard library's sort is stable: rivals stay in the order in which they came.
  let sorted = items.sorted { key($0) < key($1) }
  return sorted.indices.filter { $0 + 1 == sorted.count || key(sorted[$0]) != key(sorted[$0 + 1]) }.map { sorted[$0] }
}
