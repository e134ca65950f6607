package import OfflineTree

/// A set of changes and what follows from the set alone: contexts, the names of branches, what is void.
///
/// Slow and obvious on purpose: it is what the database is compared with. A change is known by its index, which is its
/// place in some causal order.
package struct History: Sendable {
  package private(set) var records: [Record] = []
  /// Changes whose past is not complete, or not understood.
  package private(set) var waiting: [Record] = []
  /// The context of each change, itself not included.
  package private(set) var pasts: [BitSet] = []
  /// What orders a change among those of equal stamps: its log, or its branch of the log.
  package private(set) var names: [LogID] = []
  /// Why a change is void by form, or nil.
  package private(set) var faults: [String?] = []
  /// Why a change is void, by form or by judgement, or nil.
  package private(set) var voids: [String?] = []
  package private(set) var genesis: Genesis?
  package private(set) var declarations = Declarations.none
  package let space: SpaceID

  private var indices: [Bytes32: Int] = [:]
  private var parents: [Change.Parent: Int] = [:]
  private var beginnings: [LogID: Bytes32] = [:]

  /// - Parameter isJudged: Are verdicts asked for? Without them `voids` is what is void by form.
  package init(space: SpaceID, _ changes: some Sequence<Record>, isJudged: Bool = true) throws {
    self.space = space
    var left: [Record] = []
    var seen: Set<Bytes32> = []
    for record in changes where seen.insert(record.hash).inserted { left.append(record) }
    var isMoving = true
    while isMoving {
      isMoving = false
      var later: [Record] = []
      for record in left {
        if let past = past(of: record) {
          place(record, past)
          isMoving = true
        } else {
          later.append(record)
        }
      }
      left = later
    }
    waiting = left
    if let genesis {
      declarations = try Declarations(addOnlySets: genesis.addOnlySets, flags: genesis.flags)
    }
    for index in records.indices { faults.append(fault(of: index)) }
    nameBranches()
    voids = isJudged ? zip(faults, verdicts()).map { $0 ?? $1 } : faults
  }

  private mutating func place(_ record: Record, _ past: BitSet) {
    indices[record.hash] = records.count
    parents[record.parent] = records.count
    records.append(record)
    pasts.append(past)
    guard let introduction = record.change?.introduction else { return }
    beginnings[record.log] = introduction.deviceKey
    if case .genesis(let genesis) = introduction.standing, genesis.spaceID == space { self.genesis = genesis }
  }

  /// The context of a change, if all of it is here.
  private func past(of record: Record) -> BitSet? {
    guard let change = record.change else { return nil }
    var past = BitSet()
    if record.seq > 0 {
      guard let previous = indices[record.previous] else { return nil }
      past = pasts[previous]
      past.insert(previous)
    }
    for parent in change.parents {
      guard let index = index(of: parent) else { return nil }
      past.formUnion(pasts[index])
      past.insert(index)
    }
    return past
  }

  func index(of parent: Change.Parent) -> Int? { parents[parent] }

  /// The change behind an index; only what is understood is placed.
  package func change(_ index: Int) -> Change {
    records[index].change ?? Change(parents: [], stamp: .zero, wallTime: 0)
  }

  package func index(of hash: Bytes32) -> Int? { indices[hash] }

  package func saw(_ later: Int, _ earlier: Int) -> Bool { pasts[later].contains(earlier) }

  package func deviceKey(of index: Int) -> Bytes32? { beginnings[records[index].log] }

  /// Where rivals are ordered: the stamp, then the log or branch.
  package func order(_ index: Int) -> Order { Order(stamp: change(index).stamp, log: names[index]) }

  /// The tip of every log and branch.
  package var clock: VectorClock {
    var tips = Set(records.indices)
    for record in records {
      if record.seq > 0, let previous = indices[record.previous] { tips.remove(previous) }
    }
    return VectorClock(tips.map { records[$0].position })
  }

  /// After a split every branch is a log of its own, named by its first change since the last split.
  private mutating func nameBranches() {
    var rivals: [Bytes32: [LogID: Int]] = [:]
    for record in records { rivals[record.previous, default: [:]][record.log, default: 0] += 1 }
    for record in records {
      if rivals[record.previous]?[record.log] ?? 1 > 1 {
        names.append(Introduction.branchID(log: record.log, first: record.hash))
      } else if record.seq > 0, let previous = indices[record.previous] {
        names.append(names[previous])
      } else {
        names.append(record.log)
      }
    }
  }
}

/// A stamp, and the log that decides between equal ones.
package struct Order: Comparable, Hashable, Sendable {
  package let stamp: Stamp
  package let log: LogID

  package static func < (left: Order, right: Order) -> Bool {
    left.stamp != right.stamp ? left.stamp < right.stamp : left.log < right.log
  }
}
