/// A regular expression, compiled for matching in time that grows with the text, whatever the pattern.
///
/// It is a machine of states (Thompson's construction): all states that the text read so far can be in are followed at
/// once, so nothing is tried twice.
struct RulePattern: Sendable {
  /// What is wrong with a pattern, and at which of its bytes.
  struct Fault: Error {
    let problem: String
    let offset: Int
    let advice: String
  }

  struct Step: Sendable {
    enum Code: UInt8, Sendable {
      /// Take one character: `first`; one of the set `first`; any but a line's end.
      case character, set, any
      /// Go on at `first` and at `second`; at `first`.
      case fork, jump
      /// Go on if the text begins here, ends here, a word begins or ends here, or it does not.
      case textStart, textEnd, boundary, noBoundary
      case match
    }

    let code: Code
    var first: Int32 = 0
    var second: Int32 = 0
  }

  /// Characters of a class.
  struct Characters: Sendable {
    /// One bit for each of ASCII.
    var low: UInt64 = 0
    var high: UInt64 = 0
    /// Those beyond ASCII.
    var ranges: [ClosedRange<UInt32>] = []
    /// Are all beyond ASCII in it but those of `ranges`?
    var isNegated = false

    @inline(__always)
    func contains(_ scalar: UInt32) -> Bool {
      if scalar < 64 { return low >> UInt64(scalar) & 1 == 1 }
      if scalar < 128 { return high >> UInt64(scalar & 63) & 1 == 1 }
      return ranges.contains { $0.contains(scalar) } != isNegated
    }
  }

  private(set) var steps: [Step] = []
  private(set) var sets: [Characters] = []
  /// Can it match only where the text begins?
  private(set) var isAnchored = false

  init(_ bytes: [UInt8], ignoresCase: Bool) throws(Fault) {
    var parser = RulePatternParser(bytes, ignoresCase: ignoresCase)
    let tree = try parser.pattern()
    sets = parser.sets
    var work = 0
    try emit(tree, &work)
    steps.append(Step(code: .match))
    isAnchored = steps[0].code == .textStart
  }

  // MARK: Writing the steps

  /// A part of a pattern.
  indirect enum Tree {
    case empty
    case step(Step.Code, Int32)
    case sequence([Tree])
    case choice([Tree])
    /// Without an end if `most` is nil.
    case repeated(Tree, least: Int, most: Int?)
  }

  private mutating func append(_ code: Step.Code, _ first: Int = 0, _ second: Int = 0) {
    steps.append(Step(code: code, first: Int32(first), second: Int32(second)))
  }

  /// - Throws: When the steps, or the parts of repeats that take none, become too many.
  private mutating func emit(_ tree: Tree, _ work: inout Int) throws(Fault) {
    work += 1
    guard work <= 8 * Limits.patternSteps, steps.count < Limits.patternSteps else {
      throw Fault(
        problem: "the pattern has more than \(Limits.patternSteps) steps, repeats written out", offset: 0,
        advice: "Ask for the length apart: .length < 100.")
    }
    switch tree {
    case .empty: break
    case .step(let code, let operand): append(code, Int(operand))
    case .sequence(let parts): for part in parts { try emit(part, &work) }
    case .choice(let parts): try emit(choice: parts, &work)
    case .repeated(let part, let least, let most):
      for _ in 0..<least { try emit(part, &work) }
      if let most {
        var forks: [Int] = []
        for _ in least..<most {
          forks.append(steps.count)
          append(.fork, steps.count + 1)
          try emit(part, &work)
        }
        for fork in forks { steps[fork].second = Int32(steps.count) }
      } else {
        let fork = steps.count
        append(.fork, fork + 1)
        try emit(part, &work)
        append(.jump, fork)
        steps[fork].second = Int32(steps.count)
      }
    }
  }

  private mutating func emit(choice parts: [Tree], _ work: inout Int) throws(Fault) {
    var jumps: [Int] = []
    for (index, part) in parts.enumerated() {
      guard index < parts.count - 1 else {
        try emit(part, &work)
        break
      }
      let fork = steps.count
      append(.fork, fork + 1)
      try emit(part, &work)
      jumps.append(steps.count)
      append(.jump)
      steps[fork].second = Int32(steps.count)
    }
    for jump in jumps { steps[jump].first = Int32(steps.count) }
  }
}
