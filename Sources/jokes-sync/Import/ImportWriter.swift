internal import OfflineTree

/// Writes units where they differ from what is there.
///
/// It keeps nothing: a transaction's closure may run twice.
struct ImportWriter: Sendable {
  func write(_ batch: ImportBatch, in transaction: WriteTransaction) throws -> ImportTally {
    var tally = ImportTally()
    // All looks come first: a look at what this change has written already costs as much as the change is long.
    let missing = try batch.units.filter { try isMissing($0, in: transaction, &tally) }
    for unit in missing {
      do {
        try write(unit, in: transaction, &tally)
      } catch let error as TreeError where error.code == .refused {
        tally.skip("\(unit.place): \(error.context)")
      }
    }
    return tally
  }

  /// Is there something to write? What is there already, or differs where nothing can be changed, is tallied.
  private func isMissing(
    _ unit: ImportUnit, in transaction: WriteTransaction, _ tally: inout ImportTally
  ) throws -> Bool {
    let isThere =
      switch unit {
      case .leaf(let path, let value): try transaction.scalar(at: path) == value
      case .priority(let path, let value): try transaction.priority(at: path) == value
      case .vote(let counter, let voter): try transaction.choice(of: voter, at: counter) != 0
      case .element(let element): try transaction.exists(at: element.path)
      }
    guard isThere else { return true }
    if case .element(let element) = unit, try !isEqual(element, in: transaction) {
      tally.skip("\(element.path): exists already, and differs")
    } else {
      tally.unchanged += 1
    }
    return false
  }

  private func write(_ unit: ImportUnit, in transaction: WriteTransaction, _ tally: inout ImportTally) throws {
    switch unit {
    case .leaf(let path, let value):
      try transaction.setValue(NewValue(value), at: path)
      tally.values += 1
    case .priority(let path, let value):
      try transaction.setPriority(value, at: path)
      tally.values += 1
    case .vote(let counter, let voter):
      try transaction.vote(counter, voter: voter, choice: 1)
      tally.votes += 1
    case .element(let element):
      try transaction.setValue(element.newValue, at: element.path)
      for (path, counter) in element.counters {
        if let remainder = counter.remainder { try transaction.increment(path, by: remainder) }
      }
      tally.elements += 1
    }
  }

  /// Equal, but for votes that came or went since: those are the voters', not the element's.
  private func isEqual(_ element: ImportElement, in transaction: WriteTransaction) throws -> Bool {
    let existing = try transaction.value(at: element.path)
    guard existing.leafCount == element.leaves.count else { return false }
    for (path, value) in element.leaves {
      let there = existing[try Path(Array(path.keys[element.path.keys.count...]))].scalar
      if let counter = element.counters[path] {
        guard let there, there == counter.count || isSameNumber(value, counter, there) else { return false }
      } else if there != value {
        return false
      }
    }
    for (path, value) in element.priorities where try transaction.priority(at: path) != value { return false }
    return true
  }

  /// Is the document's number, votes aside, the one that is there, votes aside?
  private func isSameNumber(_ base: Scalar, _ counter: ImportElement.Counter, _ there: Scalar) -> Bool {
    guard there.isNumber else { return false }
    var difference = ExactSum(there)
    difference.subtract(.int(counter.votesBefore))
    difference.subtract(base)
    if let remainder = counter.remainder { difference.subtract(remainder) }
    return difference.isZeroAndIntegral
  }
}

extension ImportUnit {
  var place: String {
    switch self {
    case .leaf(let path, _), .priority(let path, _): path.description
    case .element(let element): element.path.description
    case .vote(let counter, let voter): "the vote of \(voter) at \(counter)"
    }
  }
}

extension Value {
  /// How many scalars it holds.
  fileprivate var leafCount: Int {
    guard let object else { return isNull ? 0 : 1 }
    return object.members.reduce(0) { $0 + $1.value.leafCount }
  }
}
