internal import OfflineTree

extension FolderExchange {
  /// Others may have to read what this home writes: who may enter the root decides who does.
  private static let folderMode: UInt32 = 0o755
  static let fileMode: UInt32 = 0o644

  /// Writes what the database has and no readable file of the folder holds, whoever made it.
  func publish(_ report: inout SyncReport) throws {
    let pieces = index.segments.compactMap { entry, header in
      (entry.isHeld ? header.segment.position : entry.heldThrough).map { (header: header.segment, last: $0) }
    }
    let coverage = try FolderCoverage(pieces, of: try database.clock()) { below, tip in
      try database.run(endingAt: tip, from: below.seq + 1, maximumBytes: 1)?.hashBefore == below.hash
    }
    var outgoing = try database.outgoing(to: coverage.clock)
    var cutter = SegmentCutter()
    while true {
      let runs = try outgoing.next(maximumBytes: Segment.targetBytes, from: database)
      if runs.isEmpty { break }
      for run in runs where try !coverage.covers(run) && isOurs(toSeal: run) {
        for (run, head) in cutter.add(run) { try write(run, head, &report) }
      }
    }
    for (run, head) in cutter.finish() { try write(run, head, &report) }
    try removeDamaged()
  }

  /// What is to be sealed with a key that this home does not have is left to those who have it: under an older key a
  /// device that was removed could read it. Only what this device wrote itself goes out all the same, under the newest
  /// key that it has: by that others hear of a newcomer who lacks the key of now, and deliver it.
  private func isOurs(toSeal run: ChangeRun) throws(TreeError) -> Bool {
    if run.epoch != nil { return true }
    return try database.writtenPosition()?.log == run.log
  }

  private func write(_ run: ChangeRun, _ head: Bytes32, _ report: inout SyncReport) throws(TreeError) {
    try writeSegment(run, head)
    report.sent += run.bodies.count
  }

  /// Writes one file of this home, sealed in the epoch of its changes, and knows it from then on.
  @discardableResult
  func writeSegment(_ run: ChangeRun, _ head: Bytes32) throws(TreeError) -> FolderName {
    // Looked up for each file: keys older than the changes would open these for a member who was removed.
    let epochs = try database.epochs()
    let keys = run.epoch.flatMap { epochs[$0] } ?? epochs.current
    let bytes = try SealedSegment.seal(run, head: head, keys, random: environment.randomBytes(32))
    let header = try SealedHeader(opening: bytes[...], try SealedOuter(decoding: bytes[...]), keys)
    let name = FolderName.segment(header.segment, of: database.homeToken, keys)
    try writeFile(name, bytes)
    note(name, .segment(header))
    return name
  }

  func writeFile(_ name: FolderName, _ bytes: [UInt8]) throws(TreeError) {
    let folder = "\(root)/\(home)"
    switch files.look(at: folder)?.kind {
    case .folder: break
    case nil: try files.makeFolder(folder, mode: Self.folderMode)
    case .file, .other:
      throw TreeError(.inputOutput, "\(folder) is not a folder", advice: "Move it away and try again")
    }
    try files.writeDurably(
      index.path(name), bytes, mode: Self.fileMode, chance: environment.randomBytes(8))
  }

  func note(_ name: FolderName, _ content: FolderIndex.Content) {
    guard let stamp = files.look(at: index.path(name))?.stamp else { return }
    var entry = FolderIndex.Entry(name: name, stamp: stamp, content: content)
    (entry.isHeld, entry.isVerified) = (true, true)
    index.entries[name] = entry
  }

  /// Removes a file of this home, and forgets it.
  func removeFile(_ name: FolderName) throws(TreeError) {
    precondition(name.isIn(home), "a home removes only its own files")
    try files.remove(index.path(name))
    index.entries[name] = nil
  }

  /// Our own files that turned out damaged: by now others hold all of their changes that the database has.
  private func removeDamaged() throws(TreeError) {
    for entry in index.entries.values where entry.name.isIn(home) && entry.isDamaged {
      if entry.isHeld, entry.name.ends(with: FolderName.segmentSuffix) { try removeFile(entry.name) }
    }
  }

  /// Bytes of files that are read again in one exchange, only to find damage that a header does not show.
  private static let checkedBytes = 16 << 20

  /// Reads some files whole that nobody had a reason to read, so that what rots in a folder is found and put back.
  func checkWholeFiles() {
    let items = index.segments.filter { entry, _ in !entry.isVerified }
      .map { entry, header in FolderPlan.Item(name: entry.name, header: header.segment) }
      .sorted { $0.name < $1.name }
    let start = items.firstIndex { item in checkedThrough.map { $0 < item.name } ?? true } ?? 0
    var bytes = 0
    for offset in items.indices where bytes < Self.checkedBytes {
      let item = items[(start + offset) % items.count]
      bytes += item.header.bodyLength
      checkedThrough = item.name
      _ = open(item)
    }
  }
}
