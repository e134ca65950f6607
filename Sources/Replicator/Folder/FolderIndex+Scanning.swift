internal import OfflineTree

extension FolderIndex {
  /// Looks at the root and its folders, and opens what is new, changed or due for another try.
  ///
  /// - Parameter epochs: What files can be opened with from now on.
  /// - Returns: Whether anything is different from the last look.
  /// - Complexity: One look per file, one short read per new one.
  /// - Throws: If the root cannot be listed; anything else is noted in `problems`, and the rest goes on.
  mutating func refresh(_ epochs: Epochs, now: UInt64) throws(TreeError) -> Bool {
    setKeys(epochs)
    problems = []
    isOverfull = false
    folders = []
    var seen: [FolderName: Entry] = [:]
    var hasChanged = false
    for name in try files.list(root) where !FolderName.isSkipped(name) {
      switch files.look(at: "\(root)/\(name)") {
      case (.file, let stamp)?: visit(FolderName(name), stamp, now, &seen, &hasChanged)
      case (.folder, _)?:
        folders.append(name)
        scan(folder: name, now, &seen, &hasChanged)
      case (.other, _)?, nil: continue
      }
    }
    hasChanged = hasChanged || seen.count != entries.count
    entries = seen
    if isUnheard { forgetGoneHomes() }
    return hasChanged
  }

  /// Opens what was locked, with keys that have come.
  ///
  /// - Returns: Whether there was such a file.
  mutating func openLocked(_ epochs: Epochs, now: UInt64) -> Bool {
    setKeys(epochs)
    var isAny = false
    for var entry in Array(entries.values) where isUnlocked(entry) {
      open(&entry, now)
      entries[entry.name] = entry
      isAny = true
    }
    return isAny
  }

  mutating func setKeys(_ epochs: Epochs) {
    keys = Dictionary(epochs.known.map { ($0.id, $0) }) { first, _ in first }
  }

  /// Was it locked, by a key that is here now?
  private func isUnlocked(_ entry: Entry) -> Bool {
    if case .locked(let epoch) = entry.content { keys[epoch] != nil } else { false }
  }

  private mutating func scan(
    folder: String, _ now: UInt64, _ seen: inout [FolderName: Entry], _ hasChanged: inout Bool
  ) {
    let names: [String]
    do {
      names = try files.list("\(root)/\(folder)")
    } catch {
      problems.append(SyncReport.Refusal(name: folder, error: error))
      return
    }
    for name in names where !FolderName.isSkipped(name) {
      let path = "\(folder)/\(name)"
      guard case (.file, let stamp)? = files.look(at: "\(root)/\(path)") else { continue }
      visit(FolderName(path), stamp, now, &seen, &hasChanged)
    }
  }

  private mutating func visit(
    _ name: FolderName, _ stamp: FileStamp, _ now: UInt64, _ seen: inout [FolderName: Entry], _ hasChanged: inout Bool
  ) {
    guard seen.count < Self.maximumFiles else {
      isOverfull = true
      return
    }
    var entry = entries[name] ?? Entry(name: name, stamp: stamp, content: .foreign)
    let isKnown = entries[name] != nil && entry.stamp == stamp
    if isKnown, !entry.isDue(now), !isUnlocked(entry) {
      seen[name] = entry
      return
    }
    if !isKnown { entry = Entry(name: name, stamp: stamp, content: .foreign) }
    let before = entry
    open(&entry, now)
    hasChanged = hasChanged || !isKnown || isUnlocked(before) || before.isFailing != entry.isFailing
    seen[name] = entry
  }

  private mutating func open(_ entry: inout Entry, _ now: UInt64) {
    do throws(TreeError) {
      guard let (start, stamp) = try files.readStart(path(entry.name), count: SealedHeader.end) else {
        return
      }
      entry.stamp = stamp
      entry.content = try content(of: entry, start)
    } catch {
      // Gone between the look and the read: the next look tells.
      entry.content = error.code == .notFound ? .incomplete : .unreadable(error)
    }
    if entry.isFailing { entry.fail(entry.content, now: now) }
  }

  private mutating func content(of entry: Entry, _ start: [UInt8]) throws(TreeError) -> Content {
    let magic = start.prefix(SealedOuter.magic.count)
    // A carrier may make a file long at first and fill it later: zeros are what is not there yet.
    if SealedOuter.magic.starts(with: magic) && magic.count < SealedOuter.magic.count || magic.allSatisfy({ $0 == 0 }) {
      return .incomplete
    }
    guard magic.elementsEqual(SealedOuter.magic) else {
      if entry.name.isOurs { throw TreeError(.damaged, "it does not begin with OTSG") }
      return .foreign
    }
    if start.count < SealedOuter.byteCount { return .incomplete }
    let outer = try SealedOuter(decoding: start[...])
    guard let keys = keys[outer.epoch] else {
      return entry.stamp.size < outer.fileByteCount ? .incomplete : .locked(outer.epoch)
    }
    switch outer.kind {
    case .segment:
      if start.count < SealedHeader.end { return .incomplete }
      // Before its length is believed: then a changed length is damage, and not a file that is not there yet.
      let header = try SealedHeader(opening: start[...], outer, keys)
      return try isWhole(entry, outer) ? .segment(header) : .incomplete
    case .checkpoint:
      if start.count < SealedHeader.end { return .incomplete }
      let part = try CheckpointPart(opening: start[...], outer, keys)
      return try isWhole(entry, outer) ? .checkpoint(part) : .incomplete
    case .chunk:
      if start.count < SealedHeader.end { return .incomplete }
      let chunk = try ChunkFile(opening: start[...], outer, keys)
      return try isWhole(entry, outer) ? .chunk(chunk) : .incomplete
    case .acknowledgement:
      return try isWhole(entry, outer) ? try acknowledgement(entry) : .incomplete
    }
  }

  /// Is the file all there? One that is longer than it says is damaged.
  private func isWhole(_ entry: Entry, _ outer: SealedOuter) throws(TreeError) -> Bool {
    guard entry.stamp.size <= outer.fileByteCount else {
      throw TreeError(.damaged, "it is \(entry.stamp.size - outer.fileByteCount) bytes longer than it says")
    }
    return entry.stamp.size == outer.fileByteCount
  }

  private mutating func acknowledgement(_ entry: Entry) throws(TreeError) -> Content {
    let limit = SealedOuter.Kind.acknowledgement.maximumFileBytes
    let acknowledgement = try Acknowledgement(
      opening: try files.read(path(entry.name), maximumBytes: limit), known: keys)
    hear(acknowledgement, in: entry.name)
    return .acknowledgement(acknowledgement.peer, counter: acknowledgement.counter)
  }
}
