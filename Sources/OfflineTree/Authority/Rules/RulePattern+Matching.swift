extension RulePattern {
  /// Does the pattern match anywhere in the text? Nil if that costs more than `budget`, which is reduced by the cost:
  /// one for each step of the pattern; and for each character read, and for the end, `RuleCost.character` and as much
  /// again for each step reached there.
  ///
  /// Only sets of steps are counted, so the cost does not depend on the order in which they are found.
  func matches(_ text: borrowing Span<UInt8>, _ budget: inout Int) -> Bool? {
    budget -= steps.count
    if budget < 0 { return nil }
    var run = Run(steps: steps.count)
    var index = 0
    var before = Run.noScalar
    while true {
      let (scalar, length) = index < text.count ? RulePattern.scalar(in: text, at: index) : (Run.noScalar, 0)
      if !isAnchored || index == 0 { run.reach(0) }
      if run.count == 0 { return false }
      let isMatch = follow(&run, before, scalar)
      budget -= RuleCost.character * (1 + run.count)
      if budget < 0 { return nil }
      if isMatch { return true }
      if length == 0 { return false }
      advance(&run, over: scalar)
      before = scalar
      index += length
    }
  }

  /// The steps that are reached at one place of the text, each once, in the order in which they were.
  private struct Run {
    /// What stands before a text and after it.
    static let noScalar = UInt32.max

    /// For each step, the number of the last place at which it was reached.
    private var places: [UInt32]
    private var place: UInt32 = 1
    private var steps: [Int32]
    private(set) var count = 0
    /// Those of the place before.
    private var earlier: [Int32]
    private(set) var earlierCount = 0

    init(steps count: Int) {
      places = [UInt32](repeating: 0, count: count)
      steps = [Int32](repeating: 0, count: count)
      earlier = steps
    }

    @inline(__always)
    subscript(index: Int) -> Int { Int(steps[index]) }

    @inline(__always)
    func earlierStep(_ index: Int) -> Int { Int(earlier[index]) }

    @inline(__always)
    mutating func reach(_ step: Int) {
      guard places[step] != place else { return }
      places[step] = place
      steps[count] = Int32(truncatingIfNeeded: step)
      count += 1
    }

    /// Goes to the next place, where nothing is reached yet.
    @inline(__always)
    mutating func turn() {
      swap(&steps, &earlier)
      (earlierCount, count) = (count, 0)
      place += 1
    }
  }

  /// Reaches what is reached without taking a character; true if the match is.
  @inline(__always)
  private func follow(_ run: inout Run, _ before: UInt32, _ after: UInt32) -> Bool {
    var (index, isMatch) = (0, false)
    while index < run.count {
      let place = run[index]
      let step = steps[place]
      index += 1
      switch step.code {
      case .character, .set, .any: break
      case .jump: run.reach(Int(step.first))
      case .fork:
        run.reach(Int(step.first))
        run.reach(Int(step.second))
      case .textStart: if before == Run.noScalar { run.reach(place + 1) }
      case .textEnd: if after == Run.noScalar { run.reach(place + 1) }
      case .boundary: if isWord(before) != isWord(after) { run.reach(place + 1) }
      case .noBoundary: if isWord(before) == isWord(after) { run.reach(place + 1) }
      case .match: isMatch = true
      }
    }
    return isMatch
  }

  /// Takes a character in every step that can.
  @inline(__always)
  private func advance(_ run: inout Run, over scalar: UInt32) {
    run.turn()
    for index in 0..<run.earlierCount {
      let place = run.earlierStep(index)
      let step = steps[place]
      let takes: Bool
      switch step.code {
      case .character: takes = UInt32(bitPattern: step.first) == scalar
      case .set: takes = sets[Int(step.first)].contains(scalar)
      case .any: takes = scalar != 0x0A && scalar != 0x0D && scalar != 0x2028 && scalar != 0x2029
      default: takes = false
      }
      if takes { run.reach(place + 1) }
    }
  }

  private func isWord(_ scalar: UInt32) -> Bool { scalar < 128 && RuleLexer.isWord(UInt8(scalar)) }

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
