/// What became of changes that came from outside.
package struct Reception: Sendable {
  /// Changes that were new, and are applied.
  package var applied = 0
  /// Changes that were here already.
  package var duplicates = 0
  /// What could not be applied yet: the rest of a run, and what it waits for.
  package var blocked: [Blocked] = []
  /// Dropped history that those need which are blocked for it, a part at a time.
  package var wanted: [HistoryGap] = []
  /// Runs whose bytes do not decode or break the chain.
  package var refused: [Refusal] = []
  /// Logs that were found to have forked.
  package var forked: [LogID] = []
  /// Changes that are applied and void, with the reason.
  package var voids: [(log: LogID, seq: UInt64, reason: String)] = []

  /// What this device then had to do by itself, and could not: what was received is kept all the same.
  package var problems: [TreeError] = []

  /// Has it changed who may do what?
  var changesAuthority = false
  /// Does this device know the space now, and has not introduced itself?
  var mayIntroduce = false
  /// What was not looked at any more, when the time was up.
  var unfinished: [ChangeRun] = []
  /// Was the time up before everything was looked at?
  var isCut = false

  package init() {}

  mutating func attempt(_ act: () throws(TreeError) -> Void) {
    do throws(TreeError) {
      try act()
    } catch {
      problems.append(error)
    }
  }

  /// Adds what a later part of the same call came to.
  mutating func add(_ later: Reception) {
    applied += later.applied
    duplicates += later.duplicates
    refused += later.refused
    forked += later.forked
    voids += later.voids
    changesAuthority = changesAuthority || later.changesAuthority
    mayIntroduce = later.mayIntroduce
    problems += later.problems
    blocked = later.blocked
    wanted = later.wanted
    (unfinished, isCut) = (later.unfinished, later.isCut)
  }

  package struct Blocked: Sendable {
    package let run: ChangeRun
    package let reason: Reason
  }

  package enum Reason: Hashable, Sendable {
    /// The change before the first is not here.
    case missingPrevious
    /// A change that it had seen is not here.
    case missingParent(Change.Parent)
    /// The genesis of the space is not here.
    case missingGenesis
    /// It was written by a newer version.
    case unknownVersion
    /// Its device has more logs than are delivered unasked.
    case delayed
    /// It cannot be applied without changes whose bytes this replica has dropped.
    case missingHistory
  }

  package struct Refusal: Sendable {
    package let log: LogID
    package let first: UInt64
    package let error: TreeError
  }
}
