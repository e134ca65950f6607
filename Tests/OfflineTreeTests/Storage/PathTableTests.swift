import OfflineTree
import TestSupport
import Testing

@Suite struct PathTableTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.openStore()
  }

  /// Few different bytes and lengths around the limits, so that keys share long prefixes and often meet.
  private static func key(_ random: inout SeededRandom) -> [UInt8] {
    let lengths = [0, 1, 2, 3, 488, 489, 490, 491, 492, 493, 511, 512, 513, 700, 992, 993]
    var key = [UInt8](repeating: 3, count: lengths.randomElement(using: &random) ?? 0)
    for place in [0, 1, 487, 488, 489, 490, 491, 512, key.count - 1] where key.indices.contains(place) {
      if Bool.random(using: &random) { key[place] = UInt8.random(in: 1...3, using: &random) }
    }
    return key
  }

  private func rows(_ transaction: borrowing StoreTransaction) throws -> [[UInt8]] {
    try PathTable.tree.withCursor(in: transaction) { (cursor) throws(TreeError) in
      var keys: [[UInt8]] = []
      while try keys.isEmpty ? cursor.first() : cursor.next() { keys.append(cursor.keyBytes) }
      return keys
    }
  }

  @Test(arguments: 1...12) func `a path table is a sorted dictionary`(seed: UInt64) throws {
    let table = PathTable.tree
    try store.write { (transaction) throws in
      var random = SeededRandom(seed: seed)
      var model: [[UInt8]: [UInt8]] = [:]
      for step in 0..<600 {
        let key = Self.key(&random)
        let isGrowing = step % 200 < 120
        if Int.random(in: 0..<10, using: &random) < (isGrowing ? 8 : 2) {
          let value = Sodium.randomBytes(Int.random(in: 0...40, using: &random))
          try table.put(key, value, in: transaction)
          model[key] = value
        } else {
          let victim = Bool.random(using: &random) ? key : model.keys.randomElement(using: &random) ?? key
          #expect(try table.delete(victim, in: transaction) == (model.removeValue(forKey: victim) != nil))
        }
        let probe = Self.key(&random)
        #expect(try table.get(probe, in: transaction) == model[probe])
        if step % 20 == 0 { try compare(model, probe, transaction) }
      }
      for key in model.keys { #expect(try table.delete(key, in: transaction)) }
      #expect(try table.isEmpty(in: transaction))
      #expect(try transaction.isEmpty(.tree))
    }
  }

  private func compare(_ model: [[UInt8]: [UInt8]], _ probe: [UInt8], _ transaction: borrowing StoreTransaction) throws
  {
    let table = PathTable.tree
    let keys = model.keys.sorted { $0.lexicographicallyPrecedes($1) }
    #expect(try table.count(in: transaction) == keys.count)
    #expect(try table.isEmpty(in: transaction) == keys.isEmpty)
    #expect(try rows(transaction) == keys)
    #expect(try table.predecessor(of: probe, in: transaction) == keys.last { $0.lexicographicallyPrecedes(probe) })
    let isExtended = keys.contains { $0.starts(with: probe) && $0.count > probe.count }
    #expect(try table.hasKey(strictlyExtending: probe, in: transaction) == isExtended)
    for prefix in [probe, Array(probe.prefix(490)), Array(probe.prefix(300))] {
      var found: [[UInt8]] = []
      try table.forEach(prefix: prefix, in: transaction) { (key, value) throws(TreeError) in
        let bytes = unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }
        let content = unsafe value.withUnsafeBytes { unsafe [UInt8]($0) }
        #expect(model[bytes] == content)
        found.append(bytes)
        return found.count < 50
      }
      #expect(found == Array(keys.filter { $0.starts(with: prefix) }.prefix(50)))
    }
    try table.withCursor(in: transaction) { (cursor) throws(TreeError) in
      let place = keys.firstIndex { !$0.lexicographicallyPrecedes(probe) } ?? keys.count
      #expect(try cursor.seek(atLeast: probe) == (place < keys.count))
      if place == keys.count { return }
      #expect(cursor.keyBytes == keys[place])
      #expect(try (cursor.previous() ? cursor.keyBytes : nil) == (place > 0 ? keys[place - 1] : nil))
    }
    try table.withCursor(in: transaction) { (cursor) throws(TreeError) in
      var backward: [[UInt8]] = []
      while try backward.isEmpty ? cursor.last() : cursor.previous() { backward.append(cursor.keyBytes) }
      #expect(backward == keys.reversed())
    }
  }

  @Test(arguments: 1...6) func `a cursor removes a range of short and long keys`(seed: UInt64) throws {
    let table = PathTable.hidden
    try store.write { (transaction) throws in
      var random = SeededRandom(seed: seed)
      var keys: Set<[UInt8]> = []
      for _ in 0..<150 {
        let key = Self.key(&random)
        keys.insert(key)
        try table.put(key, [1], in: transaction)
      }
      let sorted = keys.sorted { $0.lexicographicallyPrecedes($1) }
      var seen: [[UInt8]] = []
      try table.withCursor(in: transaction) { (cursor) throws(TreeError) in
        var isFound = try cursor.first()
        while isFound {
          seen.append(cursor.keyBytes)
          if seen.count % 3 != 0 { try cursor.deleteCurrent(in: transaction) }
          isFound = try cursor.next()
        }
      }
      #expect(seen == sorted)
      #expect(try table.count(in: transaction) == sorted.count / 3)
    }
  }

  @Test func `a cursor goes on through long keys while other tables are written`() throws {
    let keys = (1...9 as ClosedRange<UInt8>).map { [UInt8](repeating: 3, count: 600) + [$0] }
    try store.write { (transaction) throws in
      for key in keys { try PathTable.tree.put(key, [1], in: transaction) }
      try PathTable.tree.withCursor(in: transaction) { (cursor) throws(TreeError) in
        for key in keys {
          #expect(try cursor.isValid ? cursor.next() : cursor.first())
          #expect(cursor.keyBytes == key)
          try PathTable.hidden.put(key, cursor.valueBytes, in: transaction)
        }
        #expect(try !cursor.next())
      }
      #expect(try PathTable.hidden.count(in: transaction) == keys.count)
    }
  }

  @Test func `tables with the same long keys do not meet`() throws {
    let key = [UInt8](repeating: 3, count: 800)
    try store.write { (transaction) throws in
      for (number, table) in [PathTable.tree, .hidden, .priority, .rival].enumerated() {
        try table.put(key, [UInt8(number)], in: transaction)
      }
      #expect(try PathTable.hidden.delete(key, in: transaction))
      #expect(try PathTable.tree.get(key, in: transaction) == [0])
      #expect(try PathTable.priority.get(key, in: transaction) == [2])
      #expect(try PathTable.rival.count(in: transaction) == 1)
      #expect(try PathTable.hidden.isEmpty(in: transaction))
    }
  }

  @Test func `a key beyond the limit is refused`() throws {
    try store.write { (transaction) throws in
      let key = [UInt8](repeating: 3, count: PathTable.keyBytes + 1)
      #expect(errorCode { try PathTable.tree.put(key, [], in: transaction) } == .limitExceeded)
      #expect(try PathTable.tree.get(key, in: transaction) == nil)
      try PathTable.tree.put(Array(key.dropLast()), [], in: transaction)
      #expect(try PathTable.tree.get(key, in: transaction) == nil)
      #expect(try !PathTable.tree.delete(key, in: transaction))
      #expect(try PathTable.tree.predecessor(of: key, in: transaction) == Array(key.dropLast()))
    }
  }
}
