/// Rows of changes that a transaction has opened, since the next change that is asked for is often in one of them.
struct RecentRuns {
  /// The last ones, the newest at the end: a list of elements goes to and fro between the logs of a few devices.
  private var runs: [StoredRun] = []
  private static let kept = 8

  /// The row that holds the change, or nil.
  mutating func run(holding dot: Dot, _ rows: borrowing StoreTransaction) throws(TreeError) -> StoredRun? {
    if let known = runs.last(where: { $0.log == dot.log && $0.first <= dot.seq && dot.seq < $0.next }) { return known }
    guard let run = try Replica.run(dot.log, holding: dot.seq, rows) else { return nil }
    if runs.count == Self.kept { runs.removeFirst() }
    runs.append(run)
    return run
  }
}
