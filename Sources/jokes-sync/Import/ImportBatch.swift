internal import OfflineTree

/// Units that become one change.
struct ImportBatch: Sendable {
  static let byteLimit = 3 << 20
  static let operationLimit = 16_000

  private(set) var units: [ImportUnit] = []
  private var bytes = 0
  private var operations = 0

  var isEmpty: Bool { units.isEmpty }

  /// Would this unit make the change too large? A single unit never is: what is beyond the limits of a change is refused
  /// where it is written.
  func isFull(with unit: ImportUnit) -> Bool {
    !units.isEmpty
      && (bytes + unit.byteCount > ImportBatch.byteLimit
        || operations + unit.operationCount > ImportBatch.operationLimit)
  }

  mutating func append(_ unit: ImportUnit) {
    units.append(unit)
    bytes += unit.byteCount
    operations += unit.operationCount
  }
}

/// What an import did.
struct ImportTally: Sendable {
  var values = 0
  var elements = 0
  var votes = 0
  /// Equal to what was there.
  var unchanged = 0
  var skipped = 0
  /// What was left out, each with the reason.
  var notes: [String] = []

  mutating func skip(_ note: String) {
    skipped += 1
    notes.append(note)
  }

  static func += (left: inout ImportTally, right: ImportTally) {
    left.values += right.values
    left.elements += right.elements
    left.votes += right.votes
    left.unchanged += right.unchanged
    left.skipped += right.skipped
    left.notes += right.notes
  }
}
