import OfflineTree
import TestSupport
import Testing

/// Rows that a member made up, in a value that looks like pages of the database, neither stop a repair nor change what it
/// finds or says.
@Suite struct ForgedRowTests {
  /// What else is wrong with the file.
  enum Harm: CaseIterable {
    case tree
    case head
    case logs
  }

  private static let zeros = [UInt8](repeating: 0, count: 32)
  private static let numbers: [UInt64] = [.max, .max - 1, 1 << 63, 1 << 62, (1 << 62) - 1]

  private func runs() -> [ForgedPage.Row] {
    let one: [UInt8] = Self.zeros + [1, 0, 0, 0, 1, 0, 0, 0, 7]
    let gap: [UInt8] = Self.zeros + [0xFF, 0xFF, 0xFF, 0x7F] + ForgedPage.varint((1 << 30) - 1)
    let packed: [UInt8] = Self.zeros + [0xFF, 0x3F, 0, 0x80, 0xFF, 0xFF, 0xFF, 0xFF]
    var rows: [ForgedPage.Row] = [(.run, [0, 0, 0, 1] + ForgedPage.big(0), gap)]
    for number in Self.numbers {
      for value in [one, gap, packed, []] { rows.append((.run, [0, 0, 0, 1] + ForgedPage.big(number), value)) }
    }
    return rows
  }

  /// - Parameter row: A true row of `log`, of which the count is replaced.
  private func logs(_ row: [UInt8]) -> [ForgedPage.Row] {
    let end = (row[34...].firstIndex { $0 < 0x80 } ?? 34) + 1
    var rows: [ForgedPage.Row] = [
      (.log, [0, 0, 0, 0], []), (.log, [0, 0, 0, 0], [UInt8](repeating: 0xFF, count: 200)),
    ]
    let counts: [UInt64] = [.max, 1 << 63, (1 << 62) + 1]
    for (place, number) in counts.enumerated() {
      let forged = row[..<34] + ForgedPage.varint(number) + row[end...]
      rows.append((.log, [0, 0, 0, UInt8(place)], Array(forged)))
      rows.append((.log, [0, 0, 4, UInt8(place)], Array(forged)))
    }
    return rows
  }

  private func waiting(_ log: [UInt8]) -> [ForgedPage.Row] {
    var rows: [ForgedPage.Row] = []
    let values: [[UInt8]] = [[], Self.zeros, Self.zeros + [1], Self.zeros + [0, 7]]
    for number in Self.numbers {
      let key = log + ForgedPage.big(number) + Self.zeros[..<8]
      for value in values { rows.append((.waiting, key, value)) }
    }
    return rows
  }

  private func meta() -> [ForgedPage.Row] {
    var rows: [ForgedPage.Row] = []
    let values: [[UInt8]] = [[], [0xFF], Self.zeros + Self.zeros + [1]]
    for name in ["identity", "state", "frontier", "genesis", "claim", "retention", "block", "guard", "device name"] {
      for value in values { rows.append((.meta, Array(name.utf8), value)) }
    }
    return rows
  }

  private func others(_ log: [UInt8]) -> [ForgedPage.Row] {
    var rows: [ForgedPage.Row] = [(.control, log + Self.zeros, Self.zeros), (.control, [1], [])]
    for number in Self.numbers {
      rows.append((.signature, [0, 0, 0, 1] + ForgedPage.big(number), Self.zeros + Self.zeros))
    }
    let (keys, values): ([[UInt8]], [[UInt8]]) = ([[1], [1, 2], [9]], [[], [1], Self.zeros])
    for key in keys {
      for value in values { rows.append((.remote, key, value)) }
    }
    return rows
  }

  private func trueRow(of log: LogID, in file: String) throws -> [UInt8] {
    var found: [UInt8]?
    _ = try SalvageFile(file).salvage([.log]) { record in
      if record.isLive, record.value.starts(with: log.bytes) { found = record.value }
    }
    return try #require(found)
  }

  /// Zeroes a page without which something is wrong with a table.
  private func damage(_ table: Table, _ file: String) throws {
    let sound = try FileSystem.readFile(file, maximumBytes: 64 << 20)
    for page in 2..<sound.count / 4_096 {
      var bytes = sound
      bytes.replaceSubrange(page * 4_096..<(page + 1) * 4_096, with: [UInt8](repeating: 0, count: 4_096))
      try FileSystem.writeFileDurably(file, bytes)
      let problems = try SalvageFile(file).problems()
      if problems.contains(where: { $0.contains("of the table \(table.name) is") }) { return }
    }
    Issue.record("no page of \(table.name) was found")
  }

  @Test(arguments: Harm.allCases) func `forged rows of every table do no harm`(harm: Harm) throws {
    let fleet = try Fleet(2, seed: 14)
    for _ in 0..<10 {
      try fleet.writeRandomly(0)
      try fleet.writeRandomly(1)
      try fleet.send(from: 0, to: 1)
    }
    let position = try #require(try fleet[1].ownPosition())
    let before = try fleet[1].clock()
    let home = try fleet.backUp(1)
    let file = "\(home)/data/data.mdb"
    let row = try trueRow(of: position.log, in: file)
    switch harm {
    case .tree: try damage(.tree, file)
    case .logs: try damage(.log, file)
    case .head:
      var bytes = try FileSystem.readFile(file, maximumBytes: 64 << 20)
      let older = bytes[144] < bytes[4_096 + 144] ? 0 : 4_096
      bytes.replaceSubrange(older..<older + 4_096, with: [UInt8](repeating: 0, count: 4_096))
      try FileSystem.writeFileDurably(file, bytes)
    }
    var bytes = try FileSystem.readFile(file, maximumBytes: 64 << 20)
    let log = position.log.bytes
    for rows in [runs(), logs(row), waiting(log), waiting(Array(Self.zeros[..<16])), meta(), others(log)] {
      bytes += ForgedPage.bytes(rows)
    }
    try FileSystem.writeFileDurably(file, bytes)
    let report = try Database.repair(at: home, environment: fleet.members[1].clock.environment)
    #expect(report.ownLost == 0 && report.ownWaiting == 0 && report.ownLeftOver == 0, "\(report)")
    #expect(report.othersMissing == 0)
    try fleet.restore(1, from: home, inPlace: false)
    #expect(try fleet[1].clock() == before)
    #expect(try fleet[1].verify().isSound)
    #expect(try fleet[1].read { try $0.status().waitingCount } == 0)
    // A second repair is not needed, and none of the forged rows has come along.
    #expect(try Database.damage(at: home) == [])
  }
}
