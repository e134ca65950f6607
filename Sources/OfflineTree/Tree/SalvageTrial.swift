/// Gathers and proves what is in a data file, as a repair does, and makes nothing of it: for fuzzing.
package struct SalvageTrial {
  package private(set) var records = 0
  package let problems: [String]
  /// What a repair would hand to the way in by which all changes come.
  package let runs: [ChangeRun]
  package let unproven: [ChangeRun]

  /// - Parameter device: Whose home it is taken for.
  package init(_ path: String, of device: Bytes32) throws(TreeError) {
    var (rows, records) = (SalvagedRows(), 0)
    let file = try SalvageFile(path)
    let outcome = try file.salvage(SalvagedRows.tables) { record in
      records += 1
      rows.take(record)
    }
    var (runs, unproven): ([ChangeRun], [ChangeRun]) = ([], [])
    for space in rows.spaces {
      let history = SalvagedHistory(rows, in: space, of: device, keys: nil, isNewest: false)
      runs += history.runs
      unproven += history.unsigned
    }
    self.records = records
    (problems, self.runs, self.unproven) = (outcome.problems, runs, unproven)
  }
}
