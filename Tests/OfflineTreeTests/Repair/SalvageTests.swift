import OfflineTree
import TestSupport
import Testing

/// What reads LMDB's file without LMDB agrees with LMDB, and finds what LMDB does not.
@Suite struct SalvageTests {
  let folder: OfflineTreeTests.TemporaryFolder

  init() throws { folder = try OfflineTreeTests.TemporaryFolder() }

  private var file: String { "\(folder.path)/data.mdb" }

  private struct Row: Hashable {
    let table: Table
    let key: [UInt8]
    let value: [UInt8]
  }

  /// Tables of several levels with short and long values, of which many were replaced and removed.
  private func fill(_ seed: UInt64, commits: Int = 12) throws -> Set<Row> {
    var random = SeededRandom(seed: seed)
    let store = try folder.openStore(mapSize: 64 << 20)
    for _ in 0..<commits {
      var writes: [(Table, [UInt8], [UInt8]?)] = []
      for _ in 0..<40 {
        let table: Table = random.chance(50) ? .run : .tree
        let key = numberKey(Int.random(in: 0..<400, using: &random)) + [0, 0, 0, 1]
        let count =
          random.chance(5) ? Int.random(in: 3_000..<20_000, using: &random) : Int.random(in: 0..<300, using: &random)
        let value = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        writes.append((table, key, random.chance(25) ? nil : value))
      }
      let batch = writes
      try store.write { rows in
        for (table, key, value) in batch {
          if let value { try rows.put(table, key, value) } else { try rows.delete(table, key) }
        }
      }
    }
    var found: Set<Row> = []
    try store.read { rows in
      for table in Table.allCases {
        try rows.withCursor(table) { (cursor) throws(TreeError) in
          while try cursor.next() { found.insert(Row(table: table, key: cursor.keyBytes, value: cursor.valueBytes)) }
        }
      }
    }
    return found
  }

  private func salvage(liveOnly: Bool = false) throws -> (Set<Row>, SalvageOutcome) {
    var found: Set<Row> = []
    let outcome = try SalvageFile(file).salvage(Set(Table.allCases)) { record in
      if record.isLive || !liveOnly { found.insert(Row(table: record.table, key: record.key, value: record.value)) }
    }
    return (found, outcome)
  }

  @Test(arguments: Seeds.scaled(24)) func `a sound file has no problems, and exactly its records`(seed: UInt64) throws {
    let rows = try fill(seed)
    let (found, outcome) = try salvage(liveOnly: true)
    #expect(outcome.problems == [])
    #expect(outcome.tornTables == [])
    #expect(found == rows && rows.count > 50)
    #expect(try SalvageFile(file).problems() == [])
    #expect(try SalvageFile(file).problems(maximumBytes: 0) == [])
  }

  @Test func `of a file with any page zeroed, all that stood on others is found`() throws {
    let rows = try fill(21)
    let sound = try FileSystem.readFile(file, maximumBytes: 64 << 20)
    var (torn, most) = (0, 0)
    for page in 0..<sound.count / 4_096 {
      var bytes = sound
      bytes.replaceSubrange(page * 4_096..<(page + 1) * 4_096, with: [UInt8](repeating: 0, count: 4_096))
      try FileSystem.writeFileDurably(file, bytes)
      let problems = try SalvageFile(file).problems()
      let (found, outcome) = try salvage()
      #expect(problems == outcome.problems, "page \(page)")
      let lost = rows.subtracting(found)
      if problems.isEmpty { #expect(lost.isEmpty, "page \(page)") } else { torn += 1 }
      most = max(most, lost.count)
    }
    // No more than a page holds, whichever it is.
    #expect(torn > 20 && most < 100, "\(torn) pages were in use, and \(most) records were lost")
  }

  @Test(arguments: UInt64(1)...6) func `a flipped bit is found, or changes nothing`(seed: UInt64) throws {
    let rows = try fill(seed, commits: 6)
    let sound = try FileSystem.readFile(file, maximumBytes: 64 << 20)
    var random = SeededRandom(seed: seed)
    var found = 0
    for page in 0..<sound.count / 4_096 {
      for place in [
        Int.random(in: 0..<16, using: &random), Int.random(in: 16..<64, using: &random),
        Int.random(in: 0..<4_096, using: &random),
      ] {
        var bytes = sound
        bytes[page * 4_096 + place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        try FileSystem.writeFileDurably(file, bytes)
        if try !SalvageFile(file).problems().isEmpty {
          found += 1
        } else {
          #expect(try salvage(liveOnly: true).0 == rows, "page \(page), byte \(place)")
        }
      }
    }
    #expect(found > 20)
  }

  @Test(arguments: [0, 1, 4_095, 4_096, 8_192, 8_193, 20_000]) func `a file that was cut is named, and never a trap`(
    size: Int
  ) throws {
    _ = try fill(3)
    var bytes = try FileSystem.readFile(file, maximumBytes: 64 << 20)
    bytes.removeLast(bytes.count - size)
    try FileSystem.writeFileDurably(file, bytes)
    #expect(try !SalvageFile(file).problems().isEmpty)
    #expect(try !salvage().1.problems.isEmpty)
  }

  @Test(arguments: UInt64(1)...20) func `noise in place of a file is never a trap`(seed: UInt64) throws {
    _ = try fill(4, commits: 3)
    var random = SeededRandom(seed: seed)
    var bytes = try FileSystem.readFile(file, maximumBytes: 64 << 20)
    // The heads stay now and then, so that the walk begins.
    for index in (random.chance(70) ? 8_192 : 0)..<bytes.count where random.chance(30) {
      bytes[index] = UInt8.random(in: 0...255, using: &random)
    }
    try FileSystem.writeFileDurably(file, bytes)
    #expect(try !SalvageFile(file).problems().isEmpty)
    #expect(try !salvage().1.problems.isEmpty)
  }

  @Test func `a tree without a depth is refused`() throws {
    _ = try fill(5, commits: 3)
    var bytes = try FileSystem.readFile(file, maximumBytes: 64 << 20)
    for head in [0, 4_096] { bytes.replaceSubrange(head + 94..<head + 96, with: [0, 0]) }
    try FileSystem.writeFileDurably(file, bytes)
    #expect(try SalvageFile(file).problems().contains { $0.hasPrefix("the list of tables says of itself") })
  }

  @Test func `a long value that says it has more pages than the file ends the search no later`() throws {
    _ = try fill(6)
    var bytes = try FileSystem.readFile(file, maximumBytes: 64 << 20)
    let isLong = { (page: Int) in bytes[page * 4_096 + 10] & 4 != 0 && bytes[page * 4_096] == UInt8(page & 0xFF) }
    let long = (2..<bytes.count / 4_096).filter(isLong)
    #expect(!long.isEmpty)
    for page in long { bytes.replaceSubrange(page * 4_096 + 12..<page * 4_096 + 16, with: [0xF0, 0xFF, 0xFF, 0xFF]) }
    // As if the file went on so far.
    for head in [0, 4_096] {
      bytes.replaceSubrange(head + 136..<head + 144, with: [0, 0, 0, 0, 0, 0, 0, 0x7F])
    }
    try FileSystem.writeFileDurably(file, bytes)
    #expect(try SalvageFile(file).problems().contains { $0.hasPrefix("the pages of a long value") })
  }
}
