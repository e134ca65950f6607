internal import OfflineTree

/// Writes units where they differ from what is there.
///
/// It keeps nothing: a transaction's closure may run twice.
struct ImportWriter: Sendable {
  func write(_ batch: ImportBatch, in transaction: WriteTransaction) throws -> ImportTally {
    var tally = ImportTally()
    for unit in batch.units {
      do {
        try write(unit, in: transaction, &tally)
      } catch let error as TreeError where error.code == .refused {
        tally.skip("\(unit.place): \(error.context)")
      }
    }
    return tally
  }

  private func write(_ unit: ImportUnit, in transaction: WriteTransaction, _ tally: inout ImportTally) throws {
    switch unit {
    case .leaf(let path, let value):
      if try transaction.scalar(at: path) == value {
        tally.unchanged += 1
        return
      }
      try transaction.setValue(NewValue(value), at: path)
      tally.values += 1
    case .priority(let path, let value):
      if try transaction.priority(at: path) == value {
        tally.unchanged += 1
        return
      }
      try transaction.setPriority(value, at: path)
      tally.values += 1
    case .element(let element): try write(element, in: transaction, &tally)
    case .vote(let counter, let voter):
      if try transaction.choice(of: voter, at: counter) != 0 {
        tally.unchanged += 1
        return
      }
      try transaction.vote(counter, voter: voter, choice: 1)
      tally.votes += 1
    }
  }

  private func write(
    _ element: ImportElement, in transaction: WriteTransaction, _ tally: inout ImportTally
  ) throws {
    if try transaction.exists(at: element.path) {
      if try isEqual(element, in: transaction) {
        tally.unchanged += 1
        return
      }
      return tally.skip("\(element.path): exists already, and differs")
    }
    try transaction.setValue(element.newValue, at: element.path)
    for (path, counter) in element.counters {
      if let remainder = counter.remainder { try transaction.increment(path, by: remainder) }
    }
    tally.elements += 1
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
