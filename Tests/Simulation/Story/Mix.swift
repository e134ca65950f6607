/// What kinds of things happen in a history, and how often.
package enum Mix: String, CaseIterable, Sendable {
  case links, folder, power, copies, members, liar, history, all

  /// The mix of a seed, where none was asked for.
  package static func of(_ seed: UInt64) -> Mix { allCases[Int(seed % UInt64(allCases.count))] }

  /// Does somebody lie? In histories of dropping now and then: forks need what was dropped.
  func hasLiar(_ chance: Bool) -> Bool { self == .liar || self == .history && chance }
  var relaxedPercent: Int { self == .power ? 80 : self == .all ? 30 : 0 }
  var usesFolder: Bool { self != .links && self != .history }

  /// Weights of what may come next.
  var acts: [(act: Act, weight: Int)] {
    var acts: [(Act, Int)] = [(.write, 30), (.time, 4), (.check, 1)]
    if self != .folder { acts += [(.link, 26)] }
    if usesFolder { acts += [(.folder, self == .folder ? 40 : 14)] }
    switch self {
    case .links: acts += [(.die, 2)]
    case .folder: acts += [(.damage, 10), (.die, 3), (.govern, 1)]
    case .power: acts += [(.faint, 10), (.die, 2)]
    case .copies: acts += [(.copy, 12), (.die, 2)]
    case .members: acts += [(.govern, 7), (.copy, 2), (.die, 1)]
    case .liar: acts += [(.lie, 16), (.die, 1)]
    case .history: acts += [(.compact, 14), (.copy, 2), (.govern, 2), (.die, 1)]
    case .all: acts += [(.damage, 4), (.faint, 3), (.copy, 4), (.govern, 1), (.compact, 3), (.die, 2)]
    }
    return acts
  }

  enum Act {
    case write, time, check, link, folder, damage, die, faint, copy, govern, lie, compact
  }
}
