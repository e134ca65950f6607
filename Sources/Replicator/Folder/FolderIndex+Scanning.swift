internal import OfflineTree

extension FolderIndex {
  /// Looks at the root and its folders, and opens what is new, changed or due for another try.
  ///
  /// - Returns: Whether anything is different from the last look.
  /// - Complexity: One look per file, one short read per new one.
  /// - Throws: If the root cannot be listed; anything else is noted in `problems`, and the rest goes on.
  mutating func refresh(now: UInt64) throws(TreeError) -> Bool {
    problems = []
    isOverfull = false
    folders = []
    var seen: [FolderName: Entry] = [:]
    var hasChanged = false
    for name in try FileSystem.list(root) where !FolderName.isSkipped(name) {
      switch FileSystem.look(at: "\(root)/\(name)") {
      case (.file, let stamp)?: visit(FolderName(name), stamp, now, &seen, &hasChanged)
      case (.folder, _)?:
        folders.append(name)
        scan(folder: name, now, &seen, &hasChanged)
      case (.other, _)?, nil: continue
      }
    }
    hasChanged = hasChanged || seen.count != entries.count
    entries = seen
    return hasChanged
  }

  private mutating func scan(
    folder: String, _ now: UInt64, _ seen: inout [FolderName: Entry], _ hasChanged: inout Bool
  ) {
    let names: [String]
    do {
      names = try FileSystem.list("\(root)/\(folder)")
    } catch {
      problems.append(SyncReport.Refusal(name: folder, error: error))
      return
    }
    for name in names where !FolderName.isSkipped(name) {
      let path = "\(folder)/\(name)"
      guard case (.file, let stamp)? = FileSystem.look(at: "\(root)/\(path)") else { continue }
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
    if isKnown, !entry.isDue(now) {
      seen[name] = entry
      return
    }
    if !isKnown { entry = Entry(name: name, stamp: stamp, content: .foreign) }
    let before = entry
    open(&entry, now)
    hasChanged = hasChanged || !isKnown || before.isFailing != entry.isFailing
    seen[name] = entry
  }

  private mutating func open(_ entry: inout Entry, _ now: UInt64) {
    do throws(TreeError) {
      guard let (start, stamp) = try FileSystem.readStart(path(entry.name), count: SegmentHeader.byteCount) else {
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
    if start.starts(with: Acknowledgement.magic) { return try acknowledgement(entry) }
    let magic = start.prefix(SegmentHeader.magic.count)
    guard SegmentHeader.magic.starts(with: magic) || magic.allSatisfy({ $0 == 0 }) else { return .foreign }
    // A carrier may make a file long at first and fill it later: zeros are what is not there yet.
    guard start.count == SegmentHeader.byteCount, magic.elementsEqual(SegmentHeader.magic) else {
      return .incomplete
    }
    let header = try SegmentHeader(decoding: start[...])
    guard header.space == space else { return .foreign }
    if entry.stamp.size < header.segmentByteCount { return .incomplete }
    guard entry.stamp.size == header.segmentByteCount else {
      throw TreeError(.damaged, "it is \(entry.stamp.size - header.segmentByteCount) bytes longer than its header says")
    }
    return .segment(header)
  }

  private mutating func acknowledgement(_ entry: Entry) throws(TreeError) -> Content {
    let bytes = try FileSystem.readFile(path(entry.name), maximumBytes: Acknowledgement.maximumBytes)
    let acknowledgement: Acknowledgement
    do throws(TreeError) {
      acknowledgement = try Acknowledgement(decoding: bytes)
    } catch  where error.code == .damaged {
      // It does not say how long it is, so that one that is not there yet looks like a damaged one.
      return .incomplete
    }
    guard acknowledgement.space == space else { return .foreign }
    let home = acknowledgement.peer.homeToken
    if acknowledgements[home].map({ $0.counter < acknowledgement.counter }) ?? true {
      acknowledgements[home] = acknowledgement
    }
    return .acknowledgement(home: home, counter: acknowledgement.counter)
  }
}
