/// What the change puts at a path and below: a range of its puts, which are sorted.
extension RuleJudge {
  /// `newData` at a level of the way to the operation `index`.
  mutating func snapshot(at place: Int, of index: Int) -> RuleSnapshot? {
    let level = levels[place]
    guard spend(RuleCost.lookUp(among: puts.count, bytes: Int(level.end))) else { return nil }
    if level.high < 0 {
      let known = level.low >= 0 ? Int(level.low) : nil
      let range = range(of: path.bytes.span.extracting(first: Int(level.end)), after: 0, in: puts, first: known)
      know(range, below: place)
    }
    return RuleSnapshot(
      base: Int32(index), end: level.end, low: levels[place].low, high: levels[place].high)
  }

  /// Those of `puts` whose path goes on with `needle` after its first `skipped` bytes, which they have in common.
  private func range(
    of needle: borrowing Span<UInt8>, after skipped: Int, in puts: Range<Int>, first known: Int? = nil
  ) -> Range<Int> {
    var (low, high) = (known ?? puts.lowerBound, known ?? puts.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(needle, middle, skipped) { low = middle + 1 } else { high = middle }
    }
    let first = low
    guard first < puts.upperBound, goesOn(with: needle, first, skipped) else { return first..<first }
    // Most ranges are short: look near first.
    var step = 1
    (low, high) = (first + 1, puts.upperBound)
    while low < high, step < high - low {
      guard goesOn(with: needle, low + step - 1, skipped) else {
        high = low + step - 1
        break
      }
      low += step
      step *= 2
    }
    while low < high {
      let middle = (low + high) / 2
      if goesOn(with: needle, middle, skipped) { low = middle + 1 } else { high = middle }
    }
    return first..<low
  }

  @inline(__always)
  private func isBefore(_ needle: borrowing Span<UInt8>, _ index: Int, _ skipped: Int) -> Bool {
    let bytes = operations[index].path.bytes
    return RuleBytes.precedes(bytes.span.extracting(min(skipped, bytes.count)..<bytes.count), needle)
  }

  @inline(__always)
  private func goesOn(with needle: borrowing Span<UInt8>, _ index: Int, _ skipped: Int) -> Bool {
    let bytes = operations[index].path.bytes
    guard bytes.count >= skipped + needle.count else { return false }
    return UTF8Text.commonPrefix(bytes.span.extracting(skipped..<skipped + needle.count), needle) == needle.count
  }

  mutating func child(_ path: RulePath, of parent: RuleSnapshot) -> RuleSnapshot? {
    var child = parent
    if parent.exists {
      let puts = Int(parent.low)..<Int(parent.high)
      guard spend(RuleCost.lookUp(among: puts.count, bytes: path.bytes.count)) else { return nil }
      let range = range(of: path.bytes.span, after: Int(parent.end), in: puts)
      (child.low, child.high) = (Int32(range.lowerBound), Int32(range.upperBound))
      if child.exists {
        child.base = child.low
        child.end += Int32(path.bytes.count)
        return child
      }
    }
    (child.low, child.high) = (0, 0)
    child.missing += Int32(path.levels)
    return child
  }

  /// One level up; nil at the root.
  mutating func parent(of child: RuleSnapshot) -> RuleSnapshot? {
    var parent = child
    let bytes = operations[Int(child.base)].path.bytes
    if parent.missing > 0 {
      parent.missing -= 1
      if parent.missing > 0 { return parent }
    } else {
      guard parent.end > 0 else { return nil }
      let key = PathKey(trusted: bytes)
      var (start, end) = (0, key.componentEnd(from: 0))
      while end < Int(parent.end) { (start, end) = (end, key.componentEnd(from: end)) }
      parent.end = Int32(start)
    }
    guard spend(RuleCost.lookUp(among: puts.count, bytes: Int(parent.end))) else { return nil }
    let range = range(of: bytes.span.extracting(first: Int(parent.end)), after: 0, in: puts)
    (parent.low, parent.high) = (Int32(range.lowerBound), Int32(range.upperBound))
    return parent
  }

  /// The value at the snapshot: that of the one put there, `tree` if they are below it, or null.
  func value(of snapshot: RuleSnapshot) -> RuleValue {
    guard snapshot.exists, case .put(let path, let scalar) = operations[Int(snapshot.low)] else { return .null }
    return path.bytes.count == Int(snapshot.end) ? RuleValue(scalar) : .tree
  }

  /// The text of the key at a level of the way.
  func variable(_ place: Int) -> RuleText {
    let (start, end) = (Int(levels[place - 1].end), Int(levels[place].end))
    let bytes = path.bytes
    var isPlain = bytes[start] == PathKey.textMark
    for index in start..<end where bytes[index] >= 0xFB { isPlain = false }
    if isPlain { return .bytes(bytes, from: start + 1, to: end - 1) }
    var text: [UInt8] = []
    path.appendText(of: start..<end, to: &text)
    return RuleText(text)
  }

  /// The child whose path a text of the expression spells; nil for what is no path.
  mutating func child(_ text: RuleText, of parent: RuleSnapshot) -> RuleSnapshot? {
    guard text.count <= 2 * Limits.pathBytes, spend(RuleCost.pass(text.count)) else { return nil }
    var bytes: [UInt8] = []
    text.append(to: &bytes)
    guard let path = try? Path(String(decoding: bytes, as: UTF8.self)), !path.isRoot else { return nil }
    return child(RulePath(bytes: PathKey(path).bytes, levels: path.keys.count), of: parent)
  }
}
