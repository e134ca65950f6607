extension RulePattern {
  /// Does the pattern match anywhere in the text? Nil if that costs more than `budget`, which is reduced by the cost:
  /// for each character read, and for the end, `matchCost` and as much again for each state there.
  ///
  /// Only sets of states are counted, so the cost does not depend on the order in which they are found.
  func matches(_ text: borrowing Span<UInt8>, _ budget: inout Int) -> Bool? {
    var (states, pending) = (States(count: steps.count), [Int32]())
    var index = 0
    var before = Pattern.none
    while true {
      let (scalar, length) = index < text.count ? RulePattern.scalar(in: text, at: index) : (Pattern.none, 0)
      if !isAnchored || index == 0 { pending.append(0) }
      if pending.isEmpty { return false }
      let isMatch = follow(&pending, into: &states, before, scalar)
      budget -= RuleCost.character * (1 + states.visited)
      if budget < 0 { return nil }
      if isMatch { return true }
      if length == 0 { return false }
      for state in states.taking where takes(steps[Int(state)], scalar) { pending.append(state + 1) }
      before = scalar
      index += length
    }
  }

  private enum Pattern {
    /// What stands before a text and after it.
    static let none = UInt32.max
  }

  /// The states at one place of the text.
  private struct States {
    /// For each step, the number of the place at which it was last reached.
    var reached: [UInt32]
    var place: UInt32 = 0
    var visited = 0
    /// Steps that take a character.
    var taking: [Int32] = []

    init(count: Int) {
      reached = [UInt32](repeating: 0, count: count)
    }
  }

  /// Follows all steps from `pending` that take no character, each once; true if one of them is the match.
  @inline(__always)
  private func follow(
    _ pending: inout [Int32], into states: inout States, _ before: UInt32, _ after: UInt32
  ) -> Bool {
    states.place += 1
    states.visited = 0
    states.taking.removeAll(keepingCapacity: true)
    var isMatch = false
    while let state = pending.popLast() {
      guard states.reached[Int(state)] != states.place else { continue }
      states.reached[Int(state)] = states.place
      states.visited += 1
      let step = steps[Int(state)]
      switch step.code {
      case .character, .set, .any: states.taking.append(state)
      case .jump: pending.append(step.first)
      case .fork:
        pending.append(step.first)
        pending.append(step.second)
      case .textStart: if before == Pattern.none { pending.append(state + 1) }
      case .textEnd: if after == Pattern.none { pending.append(state + 1) }
      case .boundary: if isWord(before) != isWord(after) { pending.append(state + 1) }
      case .noBoundary: if isWord(before) == isWord(after) { pending.append(state + 1) }
      case .match: isMatch = true
      }
    }
    return isMatch
  }

  private func isWord(_ scalar: UInt32) -> Bool { scalar < 128 && RuleLexer.isWord(UInt8(scalar)) }

  @inline(__always)
  private func takes(_ step: Step, _ scalar: UInt32) -> Bool {
    switch step.code {
    case .character: UInt32(bitPattern: step.first) == scalar
    case .set: sets[Int(step.first)].contains(scalar)
    default: scalar != 0x0A && scalar != 0x0D && scalar != 0x2028 && scalar != 0x2029
    }
  }

  /// The character at `index` of a text that is UTF-8, and how many bytes it has.
  @inline(__always)
  static func scalar(in text: borrowing Span<UInt8>, at index: Int) -> (UInt32, Int) {
    let lead = text[index]
    if lead < 0x80 { return (UInt32(lead), 1) }
    let length = UTF8Text.sequenceLength(in: text, at: index)
    if length < 2 { return (UInt32(lead), 1) }
    var scalar = UInt32(lead) & (0x7F >> UInt32(length))
    for offset in 1..<length { scalar = scalar << 6 | UInt32(text[index + offset] & 0x3F) }
    return (scalar, length)
  }
}
