/// What an observer hears of.
public enum DataEventType: Int, Sendable, CaseIterable {
  /// A child has come; each that is there already is told first.
  case childAdded = 0
  /// A child has gone, or left the query; told with what it was.
  case childRemoved = 1
  /// A child's value or priority is another.
  case childChanged = 2
  /// What orders a child is another. `childChanged` follows.
  case childMoved = 3
  /// The node's value or priority, or the query's answer, is another; the one that is there is told first. Comes after
  /// all the others.
  case value = 4
}

/// Names one observer of a database.
public typealias DatabaseHandle = UInt

/// Something that happened to a node or to the answer of a query.
public struct DataEvent: Sendable {
  public let type: DataEventType
  /// Of the child that it is about; of the node or query for `value`.
  public let snapshot: DataSnapshot
  /// The key of the child before it, in the order that is now; nil for the first one, for `childRemoved` and `value`.
  public let previousSiblingKey: String?

  init(_ type: DataEventType, _ snapshot: DataSnapshot, after previous: Key? = nil) {
    self.type = type
    self.snapshot = snapshot
    previousSiblingKey = previous?.text
  }
}

/// Kinds of events.
struct DataEventTypes: OptionSet, Sendable, Hashable {
  let rawValue: Int

  init(rawValue: Int) { self.rawValue = rawValue }
  init(_ type: DataEventType) { rawValue = 1 << type.rawValue }

  static let children: DataEventTypes = [
    .init(.childAdded), .init(.childRemoved), .init(.childChanged), .init(.childMoved),
  ]

  func contains(_ type: DataEventType) -> Bool { contains(DataEventTypes(type)) }
}
