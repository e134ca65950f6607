/// A hybrid logical stamp: milliseconds and a counter, ordered as one number.
///
/// Stamps only break ties between changes that did not know of each other (Kulkarni et al., "Logical Physical Clocks",
/// 2014). They are above every stamp in a change's context, whatever the wall clock says.
public struct Stamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970 as the writer's clock and its context gave them.
  public let milliseconds: UInt64
  /// Orders stamps of one millisecond.
  public let counter: UInt16

  public static let zero = Stamp(milliseconds: 0, counter: 0)

  public init(milliseconds: UInt64, counter: UInt16) {
    self.milliseconds = milliseconds
    self.counter = counter
  }

  public static func < (left: Stamp, right: Stamp) -> Bool {
    left.milliseconds != right.milliseconds ? left.milliseconds < right.milliseconds : left.counter < right.counter
  }

  /// The next stamp; a counter that overflows carries into the milliseconds. Nil above the last one.
  package var successor: Stamp? {
    if counter < .max { return Stamp(milliseconds: milliseconds, counter: counter + 1) }
    return milliseconds < .max ? Stamp(milliseconds: milliseconds + 1, counter: 0) : nil
  }

  /// The stamp of a new change: the wall clock if that is above all that was seen, else the successor of that.
  ///
  /// The wall clock counts only up to `Limits.stampLead` above what was seen, so that a clock far in the future
  /// cannot make a change that others find void.
  package static func next(after seen: Stamp, wallClock: Int64) -> Stamp? {
    let lead = seen.milliseconds.addingReportingOverflow(Limits.stampLead)
    let highest = lead.overflow ? UInt64.max : lead.partialValue
    let now = Stamp(milliseconds: min(UInt64(clamping: wallClock), highest), counter: 0)
    return now > seen ? now : seen.successor
  }

  /// Is this stamp what a change with `seen` as the highest stamp of its context may carry?
  package func isAllowed(after seen: Stamp) -> Bool {
    guard self > seen else { return false }
    let lead = seen.milliseconds.addingReportingOverflow(Limits.stampLead)
    return lead.overflow || milliseconds <= lead.partialValue
  }
}
