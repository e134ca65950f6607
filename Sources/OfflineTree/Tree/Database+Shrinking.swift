extension Database {
  /// Gives the room that is free in a home's data file back to the disk. Nobody may have the home open.
  ///
  /// Compaction leaves free room inside the file, which later writes use; this writes the file anew without it. It is safe
  /// against crashes: one file or the other is there, whole, and the home stays the same home.
  /// - Returns: Bytes of the data file before and after; the same if nothing is to be had.
  /// - Throws: `unavailable` if the home is open, `damaged` if a page of the file is, `full` if there is no room for the
  ///   copy. Then the file is as it was.
  /// - Complexity: O(what is stored).
  public static func shrink(
    at path: String, environment: Environment = .system
  ) throws -> (before: Int, after: Int) {
    let home = try Home(existing: path)
    let heard = try WakeFile(home).lastCommit()
    let machine = environment.machineIdentity()
    let sizes = try Store.shrink(home.dataPath) { rows, files in
      _ = try Replica.identity(rows)
      try OpenedHome.move(
        from: OpenedHome.Place(machine: machine, file: files.old),
        to: OpenedHome.Place(machine: machine, file: files.new), isOlder: heard > files.last, rows)
    }
    return (sizes.before, sizes.after)
  }
}
