/// A record that was found in a data file, with a checksum that fits.
package struct SalvagedRecord: Sendable {
  package let table: Table
  package let key: [UInt8]
  package let value: [UInt8]
  /// Does the newest head lead to it? What it does not lead to may be of an earlier commit, or of one that never came
  /// to its end; and since a value of many pages can look like pages of records, anybody may have written it.
  package let isLive: Bool
}

/// What a search of a data file found beside the records.
package struct SalvageOutcome: Sendable {
  /// What is wrong, in sentences; empty for a sound file.
  package var problems: [String] = []
  /// Tables of which something is missing or wrong.
  package var tornTables: Set<Table> = []
}

extension SalvageFile {
  /// Looks for records of those tables in every page: those that the trees lead to first, then all others.
  ///
  /// - Complexity: O(bytes of the file), in no more memory than one record takes.
  package func salvage(
    _ tables: Set<Table>, record: (SalvagedRecord) throws(TreeError) -> Void
  ) throws(TreeError) -> SalvageOutcome {
    var outcome = SalvageOutcome(problems: ["neither of its two heads can be read"], tornTables: Set(Table.allCases))
    var sound = PageSet(count: pageCount)
    if var walk = SalvageWalk(self, .records) {
      try walk.run { (table, key, value) throws(TreeError) in
        guard tables.contains(table) else { return }
        try record(SalvagedRecord(table: table, key: Array(key), value: Array(value), isLive: true))
      }
      outcome = SalvageOutcome(problems: walk.problems, tornTables: walk.tornTables)
      sound = walk.sound
    }
    // Whoever made pages up that point at long values again and again would keep it busy for ever.
    var room = Self.leastRoom + Self.roundsOfRoom * byteCount
    for number in 0..<pageCount where !sound.contains(number) {
      guard let bytes = try page(number) else { continue }
      for node in SalvagePage(number: number, bytes: bytes).looseNodes {
        if node.flags & SalvagePage.NodeFlag.big != 0 {
          if UInt64(node.count) > room { continue }
          room -= UInt64(node.count)
        }
        guard let (table, value) = try recognize(node, tables) else { continue }
        try record(SalvagedRecord(table: table, key: Array(node.key), value: Array(value), isLive: false))
      }
    }
    return outcome
  }

  private static let leastRoom: UInt64 = 64 << 20
  private static let roundsOfRoom: UInt64 = 4

  /// The table whose record that is, if any: the checksum says so.
  private func recognize(
    _ node: SalvagePage.Node, _ tables: Set<Table>
  ) throws(TreeError) -> (Table, ArraySlice<UInt8>)? {
    guard !node.key.isEmpty, node.flags & ~SalvagePage.NodeFlag.big == 0, let bytes = try value(of: node) else {
      return nil
    }
    for table in Table.allCases where tables.contains(table) && table.allowsKey(ofBytes: node.key.count) {
      if let value = unsealed(node, table, bytes) { return (table, value) }
    }
    return nil
  }

  /// What is wrong with the file, found without LMDB; empty if nothing is, or if others write so fast that it cannot be
  /// told.
  ///
  /// - Parameter maximumBytes: Of a longer file only the branches are looked at.
  package func problems(maximumBytes: UInt64 = .max) throws(TreeError) -> [String] {
    var metas = self.metas
    for _ in 0..<Self.attempts {
      guard var walk = SalvageWalk(self, byteCount <= maximumBytes ? .records : .branches) else {
        return ["neither of its two heads can be read"]
      }
      try walk.run { _, _, _ in }
      if walk.problems.isEmpty { return [] }
      // The pages of a commit are used again two commits later at the earliest.
      let now = try currentMetas()
      if now == metas { return walk.problems }
      metas = now
    }
    return []
  }

  private static let attempts = 8
}

extension Table {
  /// How long the keys of a table can be: what spares most tries.
  fileprivate func allowsKey(ofBytes count: Int) -> Bool {
    switch self {
    case .log: count == 4
    case .run, .signature, .context, .void: count == 12
    case .waiting, .blob, .chunk: count == 32
    case .hash: count == 1
    default: true
    }
  }
}
