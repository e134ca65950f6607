import OfflineTree
import TestSupport
import Testing

/// Random histories of commits, children and failures, each compared with dictionaries.
@Suite struct HistoryTests {
  typealias Model = [Table: [[UInt8]: [UInt8]]]

  private struct Failure: Error {}

  private static let tables: [Table] = [.log, .tree, .run]

  private static func change(
    _ transaction: borrowing StoreTransaction, _ model: inout Model, _ random: inout SeededRandom, depth: Int
  ) throws {
    for _ in 0..<Int.random(in: 1...15, using: &random) {
      let table = tables.randomElement(using: &random) ?? .log
      let key = numberKey(Int.random(in: 0..<60, using: &random))
      switch Int.random(in: 0..<20, using: &random) {
      case 0:
        try transaction.clear(table)
        model[table] = [:]
      case 1...4:
        let wasThere = model[table]?.removeValue(forKey: key) != nil
        #expect(try transaction.delete(table, key) == wasThere)
      case 5...8 where depth < 3:
        try changeInChild(transaction, &model, &random, depth: depth)
      default:
        let size = Bool.random(using: &random) ? 30 : Int.random(in: 0...20_000, using: &random)
        let value = [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: size)
        try transaction.put(table, key, value)
        model[table, default: [:]][key] = value
      }
    }
  }

  private static func changeInChild(
    _ transaction: borrowing StoreTransaction, _ model: inout Model, _ random: inout SeededRandom, depth: Int
  ) throws {
    var (staged, ahead) = (model, random)
    let fails = Bool.random(using: &ahead)
    do {
      try transaction.withChild { (child) throws in
        try change(child, &staged, &ahead, depth: depth + 1)
        if fails { throw Failure() }
      }
      model = staged
    } catch is Failure {}
    random = ahead
  }

  private static func expect(_ model: Model, in store: Store) throws {
    try store.read { (transaction) throws in
      for table in tables {
        var rows: [[UInt8]: [UInt8]] = [:]
        try transaction.withCursor(table) { (cursor) throws(TreeError) in
          while try cursor.next() { rows[cursor.keyBytes] = cursor.valueBytes }
        }
        #expect(rows == model[table] ?? [:])
        #expect(try transaction.count(table) == rows.count)
      }
    }
  }

  @Test(arguments: 1...20) func `a store is what its commits say, children and failures included`(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    var random = SeededRandom(seed: seed)
    var model: Model = [:]
    for _ in 0..<4 {
      let store = try folder.openStore(mapSize: 1 << 20)
      for _ in 0..<5 {
        let fails = Int.random(in: 0..<4, using: &random) == 0
        let (before, seeds) = (model, random)
        do {
          try store.write { (transaction) throws in
            // The closure runs again when the map grows: it starts from the same model and seed.
            (model, random) = (before, seeds)
            try Self.change(transaction, &model, &random, depth: 0)
            if fails { throw Failure() }
          }
        } catch is Failure {
          model = before
        }
        try Self.expect(model, in: store)
      }
    }
  }
}
