extension Database {
  /// Gives the room that is free in a home's data file back to the disk. Nobody may have the home open.
  ///
  /// Compaction leaves free room inside the file, which later writes use; this writes the file anew without it. It is safe
  /// against crashes: one file or the other is there, whole, and the home stays the same home.
  /// - Returns: Bytes of the data file before and after; the same if nothing is to be had.
  /// - Throws: `unavailable` if the home is open, `full` if there is no room for the copy.
  /// - Complexity: O(what is stored).
  public static func shrink(
    at path: String, environment: Environment = .system
  ) throws -> (before: Int, after: Int) {
    let home = try Home(existing: path)
    let wake = try WakeFile(home)
    let heard = try wake.lastCommit()
    let machine = environment.machineIdentity()
    let old = OpenedHome.Place(machine: machine, file: try FileSystem.identity("\(home.dataPath)/data.mdb"))
    let sizes = try Store.shrink(home.dataPath) { rows, file in
      _ = try Replica.identity(rows)
      try OpenedHome.move(from: old, to: OpenedHome.Place(machine: machine, file: file), rows)
    } willReplace: { last, new in
      // Commits are counted anew. A home that is behind what was heard of it is a copy, and stays one.
      try wake.bump(heard <= last ? min(heard, new) : new + (heard - last))
    }
    return (sizes.before, sizes.after)
  }
}
