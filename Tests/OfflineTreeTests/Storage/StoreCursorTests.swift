import OfflineTree
import TestSupport
import Testing

@Suite struct StoreCursorTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.openStore()
  }

  @Test func `an empty table has no place to stand on`() throws {
    try store.read { (transaction) throws in
      try transaction.withCursor(.tree) { (cursor) throws(TreeError) in
        let moves = try [
          cursor.first(), cursor.last(), cursor.next(), cursor.previous(), cursor.seek(atLeast: []),
          cursor.seek(atLeast: [1]), cursor.seek(before: []), cursor.seek(before: [1]), cursor.seek(exactly: [1]),
        ]
        #expect(moves.allSatisfy { !$0 })
        #expect(cursor.isValid == false)
      }
    }
  }

  @Test(arguments: 1...8) func `a cursor walks like a sorted list`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var model: [[UInt8]: [UInt8]] = [:]
    for _ in 0..<500 {
      let key = (0..<Int.random(in: 1...3, using: &random)).map { _ in UInt8.random(in: 0...9, using: &random) }
      model[key] = Sodium.randomBytes(Int.random(in: 0...100, using: &random))
    }
    let keys = model.keys.sorted { $0.lexicographicallyPrecedes($1) }
    let probes = (0..<200).map { _ in
      (0..<Int.random(in: 0...4, using: &random)).map { _ in UInt8.random(in: 0...10, using: &random) }
    }
    let content = model
    try store.write { transaction in for (key, value) in content { try transaction.put(.tree, key, value) } }
    try store.read { (transaction) throws in
      try transaction.withCursor(.tree) { (cursor) throws(TreeError) in
        var forward: [[UInt8]] = []
        while try cursor.next() {
          forward.append(cursor.keyBytes)
          #expect(cursor.valueBytes == content[cursor.keyBytes])
        }
        #expect(forward == keys)
        var isFound = try cursor.last()
        var backward: [[UInt8]] = []
        while isFound {
          backward.append(cursor.keyBytes)
          isFound = try cursor.previous()
        }
        #expect(backward == keys.reversed())
        for probe in probes {
          let above = keys.first { !$0.lexicographicallyPrecedes(probe) }
          let below = keys.last { $0.lexicographicallyPrecedes(probe) }
          #expect(try (cursor.seek(atLeast: probe) ? cursor.keyBytes : nil) == above)
          #expect(try (cursor.seek(before: probe) ? cursor.keyBytes : nil) == below)
        }
      }
    }
  }

  @Test func `a cursor removes and replaces what it stands on, and goes on`() throws {
    try store.write { (transaction) throws in
      for number in 0..<3_000 { try transaction.put(.tree, numberKey(number), Array(repeating: 1, count: 50)) }
      try transaction.withChild { (child) throws in
        try child.withCursor(.tree) { (cursor) throws(TreeError) in
          var number = 0
          while try cursor.next() {
            #expect(cursor.keyBytes == numberKey(number))
            switch number % 3 {
            case 0: try cursor.deleteCurrent()
            case 1: try cursor.putCurrent(Array(repeating: 2, count: number % 200))
            default: break
            }
            number += 1
          }
          #expect(number == 3_000)
        }
      }
    }
    try store.read { (transaction) throws in
      #expect(try transaction.count(.tree) == 2_000)
      for number in 0..<3_000 {
        let value: [UInt8]? =
          switch number % 3 {
          case 0: nil
          case 1: Array(repeating: 2, count: number % 200)
          default: Array(repeating: 1, count: 50)
          }
        #expect(try transaction.get(.tree, numberKey(number)) == value)
      }
    }
  }

  @Test func `a cursor that removes goes back to what stands before`() throws {
    try store.write { (transaction) throws in
      for number in 0..<1_000 { try transaction.put(.tree, numberKey(number), [1]) }
      try transaction.withCursor(.tree) { (cursor) throws(TreeError) in
        #expect(try cursor.seek(before: numberKey(700)))
        for number in (0..<700).reversed() {
          #expect(cursor.keyBytes == numberKey(number))
          try cursor.deleteCurrent()
          #expect(cursor.isValid == false)
          #expect(try cursor.previous() == (number > 0))
        }
      }
      #expect(try transaction.count(.tree) == 300)
    }
  }

  @Test func `a cursor's value asked for after a write ends the process with a sentence`() async throws {
    let path = folder.path
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = path as String] in
      try Store.open(path).write { transaction in
        try transaction.put(.tree, [1], [1])
        try transaction.withCursor(.tree) { (cursor) throws(TreeError) in
          _ = try cursor.first()
          try transaction.put(.tree, [2], [2])
          _ = cursor.valueBytes
        }
      }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.contains("Read a cursor's key and value before the next write"))
  }
}
