import OfflineTree
import TestSupport

/// Every pair of operations at small scope, as data: what two or three writers do to one node, and who had seen whom.
struct SmallScope {
  enum Initial: CaseIterable {
    case absent, scalar, counter, object

    var operations: [OfflineTree.Operation] {
      switch self {
      case .absent: []
      case .scalar: [.put("n", .string("s"))]
      case .counter: [.increment("n", by: 5), .vote("n", voter: "u", choice: 1)]
      case .object: [.put("n/x", 1), .put("n/z", 2), .priority("n", .int(0))]
      }
    }
  }

  enum Kind: CaseIterable {
    case number, text, clear, object, increment, voteFor, voteAgainst, voteBack, priority

    func operations(_ path: String, writer: Int64) -> [OfflineTree.Operation] {
      switch self {
      case .number: [.put(path, 100 * writer)]
      case .text: [.put(path, .string("w\(writer)"))]
      case .clear: [.clear(path)]
      case .object: [.clear(path), .put("\(path)/o", writer), .put("\(path)/x", writer)]
      case .increment: [.increment(path, by: writer)]
      case .voteFor: [.vote(path, voter: "u", choice: 1)]
      case .voteAgainst: [.vote(path, voter: "u", choice: -1)]
      case .voteBack: [.vote(path, voter: "u", choice: 0)]
      case .priority: [.priority(path, .int(writer))]
      }
    }
  }

  enum Relation: CaseIterable {
    case same, ancestor, descendant, sibling

    var paths: (String, String) {
      switch self {
      case .same: ("n", "n")
      case .ancestor: ("n", "n/x")
      case .descendant: ("n/x", "n")
      case .sibling: ("n/x", "n/y")
      }
    }
  }

  /// Who had seen whom; everybody had seen the beginning.
  enum Shape: CaseIterable {
    case pairApart, pairInTurn, threeApart, thirdSawFirst, thirdSawBoth
  }

  /// One case: up to three operations, by three writers.
  struct Case {
    let initial: Initial
    let writes: [(kind: Kind, path: String)]
    let shape: Shape
    let number: Int
  }

  /// All pairs, and three at a time for a third of them.
  static func cases(_ initial: Initial) -> [Case] {
    var cases: [Case] = []
    var random = SeededRandom(seed: 7)
    var pairs = 0
    for first in Kind.allCases {
      for second in Kind.allCases {
        for relation in Relation.allCases {
          let (one, other) = relation.paths
          let pair = [(kind: first, path: one), (kind: second, path: other)]
          for shape in [Shape.pairApart, .pairInTurn] {
            cases.append(Case(initial: initial, writes: pair, shape: shape, number: cases.count))
          }
          pairs += 1
          guard pairs.isMultiple(of: 3) else { continue }
          let third = (kind: random.pick(Kind.allCases), path: random.pick(["n", "n/x", "n/y"]))
          for shape in [Shape.threeApart, .thirdSawFirst, .thirdSawBoth] {
            cases.append(Case(initial: initial, writes: pair + [third], shape: shape, number: cases.count))
          }
        }
      }
    }
    return cases
  }
}
