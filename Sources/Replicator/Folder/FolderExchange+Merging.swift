internal import OfflineTree

extension FolderExchange {
  /// Files that may be merged: of one log, sealed in one epoch.
  private struct Series: Hashable {
    let log: LogID
    let epoch: EpochID
  }

  /// A file below this many bytes is small.
  private static let smallBytes = 1 << 20
  /// A temporary file that is older than this is of a process that died.
  private static let temporaryMilliseconds: Int64 = 3_600_000

  /// Merges this home's small files of one log and one epoch, so that a log stays at tens of files.
  func mergeSmallFiles() throws(TreeError) {
    var small: [Series: [FolderPlan.Item]] = [:]
    for (entry, header) in index.segments where entry.name.isIn(home) && entry.isHeld {
      guard header.fileByteCount < Self.smallBytes else { continue }
      let series = Series(log: header.segment.log, epoch: header.epoch)
      small[series, default: []].append(FolderPlan.Item(name: entry.name, header: header.segment))
    }
    for (_, items) in small where items.count > smallFiles {
      try merge(items.sorted { ($0.header.first, $0.header.last) < ($1.header.first, $1.header.last) })
    }
    try removeOldTemporaries()
  }

  private func merge(_ items: [FolderPlan.Item]) throws(TreeError) {
    var merged: ChangeRun?
    var sources: [FolderPlan.Item] = []
    for item in items {
      guard let run = open(item) else { continue }
      if let before = merged, let longer = Self.joined(before, run) {
        merged = longer
      } else {
        try replace(sources, by: merged)
        (merged, sources) = (run, [])
      }
      sources.append(item)
    }
    try replace(sources, by: merged)
  }

  /// Both as one run, if the second goes on where the first ends or lies wholly in it.
  private static func joined(_ first: ChangeRun, _ second: ChangeRun) -> ChangeRun? {
    if passes(first, through: second) { return first }
    guard first.byteCount + second.byteCount <= Segment.targetBytes else { return nil }
    let end = LogPosition(log: first.log, seq: first.last, hash: first.head)
    let goesOn = second.first == first.last + 1 && second.hashBefore == end.hash
    guard let rest = goesOn ? second : second.suffix(after: end) else { return nil }
    return first.joined(with: rest)
  }

  /// Does `whole` hold every change of `part`?
  private static func passes(_ whole: ChangeRun, through part: ChangeRun) -> Bool {
    guard whole.log == part.log, whole.first <= part.first, part.last <= whole.last else { return false }
    let head = part.head
    return part.last == whole.last
      ? whole.head == head : whole.suffix(after: LogPosition(log: part.log, seq: part.last, hash: head)) != nil
  }

  /// Writes the merged file, durably, and only then removes those that it holds whole.
  private func replace(_ sources: [FolderPlan.Item], by merged: ChangeRun?) throws(TreeError) {
    guard let merged, sources.count > 1 else { return }
    let name = try writeSegment(merged, merged.head)
    for source in sources where source.name != name { try removeFile(source.name) }
  }

  private func removeOldTemporaries() throws(TreeError) {
    let folder = "\(root)/\(home)"
    guard files.look(at: folder)?.kind == .folder else { return }
    for name in try files.list(folder) where name.utf8.suffix(4).elementsEqual(".tmp".utf8) {
      let path = "\(folder)/\(name)"
      guard case (.file, let stamp)? = files.look(at: path) else { continue }
      if environment.wallClock() - stamp.modifiedMilliseconds > Self.temporaryMilliseconds {
        try files.remove(path)
      }
    }
  }
}
