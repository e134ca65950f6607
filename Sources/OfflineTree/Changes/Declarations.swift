/// The add-only sets and flags of a space, compiled for the questions that merging asks.
package struct Declarations: Sendable {
  private let addOnly: [(path: PathKey, keys: Genesis.AddOnlySet.Keys)]
  private let flags: [FlagPattern]
  /// Does the genesis declare anything?
  package let isEmpty: Bool

  package static let none = Declarations()

  private init() {
    addOnly = []
    flags = []
    isEmpty = true
  }

  package init(addOnlySets: [Genesis.AddOnlySet], flags: [Genesis.Flag]) throws(TreeError) {
    addOnly = addOnlySets.map { (PathKey($0.path), $0.keys) }
    var patterns: [FlagPattern] = []
    for flag in flags { patterns.append(try FlagPattern(flag)) }
    self.flags = patterns
    isEmpty = addOnlySets.isEmpty && flags.isEmpty
    try checkSets()
    try checkFlags()
  }

  private func checkSets() throws(TreeError) {
    if addOnly.count > Limits.declarations || flags.count > Limits.declarations {
      throw TreeError(.limitExceeded, "more than \(Limits.declarations) add-only sets or flags")
    }
    for (index, set) in addOnly.enumerated() {
      if set.path.levels == 0 { throw TreeError(.invalidArgument, "the root cannot be an add-only set") }
      for other in addOnly[(index + 1)...] where set.path.isPrefix(of: other.path) || other.path.isPrefix(of: set.path)
      {
        throw TreeError(.invalidArgument, "one add-only set is inside another: \(set.path.path), \(other.path.path)")
      }
    }
  }

  private func checkFlags() throws(TreeError) {
    for (index, flag) in flags.enumerated() {
      if addOnly.contains(where: { flag.template.overlaps($0.path) }) {
        throw TreeError(.invalidArgument, "the flag \(flag.template.text) is in or above an add-only set")
      }
      if flags[(index + 1)...].contains(where: { $0.template.overlaps(flag.template) }) {
        throw TreeError(.invalidArgument, "the flag \(flag.template.text) overlaps another one")
      }
    }
  }

  // MARK: Add-only sets

  package struct Element: Sendable {
    /// The set's path followed by one key.
    package let path: PathKey
    package let keys: Genesis.AddOnlySet.Keys
  }

  /// The element of an add-only set that `path` is or is below, or nil. O(sets).
  package func element(of path: PathKey) -> Element? {
    for set in addOnly where set.path.bytes.count < path.bytes.count && set.path.isPrefix(of: path) {
      let end = path.componentEnd(from: set.path.bytes.count)
      return Element(path: PathKey(trusted: path.bytes[..<end]), keys: set.keys)
    }
    return nil
  }

  /// Is `path` inside an add-only element? O(sets).
  package func isInElement(_ path: PathKey) -> Bool {
    addOnly.contains { $0.path.bytes.count < path.bytes.count && $0.path.isPrefix(of: path) }
  }

  /// The add-only sets at or below `path`.
  package func sets(atOrBelow path: PathKey) -> [PathKey] {
    addOnly.compactMap { path.isPrefix(of: $0.path) ? $0.path : nil }
  }

  // MARK: Flags

  /// Is `path` a flag, or below one? O(flags).
  package func isFlagged(_ path: PathKey) -> Bool {
    !flags.isEmpty && flags.contains { $0.template.matches(atOrAbove: path) }
  }

  /// Is `path` a counter whose voters have flags?
  package func hasFlags(counter path: PathKey) -> Bool {
    !flags.isEmpty && flags.contains { $0.counter.matches(path) }
  }

  /// Could the flags of `voter` at the counter `path` stand in the tree?
  package func flagsFit(counter path: PathKey, voter: Key) -> Bool {
    flags.allSatisfy { !$0.counter.matches(path) || $0.isWithinLimits(counter: path, voter: voter) }
  }

  /// Where the flag of `voter` at the counter `path` shows, one for each pattern that fits.
  /// - Throws: `limitExceeded` if such a path would be too long.
  package func flagPaths(counter path: PathKey, voter: Key) throws(TreeError) -> [PathKey] {
    var result: [PathKey] = []
    for flag in flags where flag.counter.matches(path) {
      result.append(try flag.path(counter: path, voter: voter))
    }
    return result
  }

  /// The vote that writing at the flag `path` stands for: the counter, and the voter; nil where no flag is.
  package func vote(flag path: PathKey) -> (counter: PathKey, voter: Key)? {
    for flag in flags where flag.template.matches(path) {
      return flag.vote(flag: path)
    }
    return nil
  }
}
