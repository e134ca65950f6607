/// Why an element of an add-only set is not shown. It stays in the tree, on every device: history keeps the bytes.
public enum Removal: Sendable, Equatable {
  /// Whoever added it took it back, at that time by their device's clock: milliseconds since 1970.
  case retracted(at: Int64)
  /// An owner's device hid it.
  case moderated(deviceName: String, at: Int64)
}

extension Database {
  /// Says, as an owner's device, whether an element of an add-only set is shown. Everybody who syncs follows.
  ///
  /// - Throws: `notFound` if there is no such element, `refused` if this device is no owner's.
  public func moderate(_ element: Path, isHidden: Bool) throws {
    try write { transaction in
      try transaction.requireElement(element)
      transaction.act(.moderate(PathKey(element), isHidden: isHidden))
    }
  }

  /// Takes back, as the user who added it, an element of an add-only set.
  ///
  /// - Throws: `notFound` if there is no such element; `refused` if somebody else added it.
  public func retract(_ element: Path, as user: Key) throws {
    try write(as: user) { transaction in
      try transaction.requireElement(element)
      guard try transaction.author(of: element) == user else {
        throw TreeError(
          .refused, "\(element) was added by somebody else",
          advice: "Hide it for yourself, or ask an owner to moderate it.")
      }
      transaction.act(.retract(PathKey(element)))
    }
  }
}

extension ReadTransaction {
  /// Why an element is not shown; nil if it is, or if there is none.
  /// - Complexity: O(1) unless something was said of it.
  public func removal(of element: Path) throws -> Removal? {
    let key = PathKey(element)
    let authority = try replica().authority
    let records = authority.standingRemovals(of: key)
    if records.isEmpty { return nil }
    let words = records.filter { $0.author == nil }
    if let word = words.max(by: { ($0.stamp, $0.branch) < ($1.stamp, $1.branch) }),
      word.controls.contains(.moderate(key, isHidden: true))
    {
      return .moderated(deviceName: authority.name(of: word.device), at: word.wallTime)
    }
    if records.count == words.count { return nil }
    guard let author = try author(of: element) else { return nil }
    let first = records.filter { $0.author == author }.min { ($0.stamp, $0.branch) < ($1.stamp, $1.branch) }
    return first.map { .retracted(at: $0.wallTime) }
  }

  /// Who added an element of an add-only set; nil if nobody is named, or there is none.
  public func author(of element: Path) throws -> Key? {
    let replica = try replica()
    guard let creator = try replica.creators(of: PathKey(element), rows).first else { return nil }
    // An import makes many elements in one change, and a row holds many changes.
    if let known = lastAuthor, known.dot == creator.dot { return known.author }
    let author = try recentRuns.run(holding: creator.dot, rows)?.author(of: creator.dot.seq)
    lastAuthor = (creator.dot, author)
    return author
  }

  fileprivate func requireElement(_ path: Path) throws {
    let key = PathKey(path)
    guard try replica().declarations.element(of: key)?.path == key, try exists(at: path) else {
      throw TreeError(.notFound, "there is no element \(path) in an add-only set")
    }
  }
}

extension Authority {
  fileprivate func standingRemovals(of element: PathKey) -> [Record] {
    (people.removals[element] ?? []).compactMap { index in
      verdict(at: records[index].dot) == nil ? records[index] : nil
    }
  }
}

extension StoredRun {
  /// Who had acted in a change: of one that made an element that stays where the change was dropped. The change's
  /// operations are not looked at: there may be many.
  fileprivate func author(of seq: UInt64) throws(TreeError) -> Key? {
    if isGap, let author = authors[Int(seq - first)] { return try Key(utf8: author) }
    guard let body = body(of: seq) else { return nil }
    return try Change.author(in: body)
  }
}
