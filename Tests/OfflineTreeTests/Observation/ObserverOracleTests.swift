internal import Dispatch
import Foundation
import OfflineTree
import TestSupport
import Testing

/// The cases of Firebase's own test data, `observer-events.json`, where it is at hand.
///
/// Every step makes the tree what Firebase's client would show, and the events have to be the same. A client of
/// Firebase hears at first of nothing, since it knows nothing; here everything is known at once, so that the first
/// event of an empty node comes with the observer instead of with the server's answer.
@Suite struct ObserverOracleTests {
  enum Way: String, CaseIterable, Sendable {
    case localWrites = "local writes"
    case peer = "a peer's changes"
  }

  @Test(.enabled(if: cases() != nil, whenAbsent), arguments: Way.allCases)
  func `every case that has a meaning here raises the events that Firebase's client raises`(_ way: Way) async throws {
    let cases = try #require(Self.cases())
    #expect(cases.count == 112)
    var names = Set(Self.leftOut.map(\.name))
    for item in cases {
      let name = item["name"]?.text ?? ""
      if names.remove(name) != nil || Self.reverts(item) { continue }
      let problem = try await OracleCase(item, way).run()
      if let problem { Issue.record("\(name), \(way.rawValue): \(problem)") }
    }
    #expect(names == [], "left out, and not there")
  }

  @Test func `what is left out is named once, with a reason`() {
    #expect(Set(Self.leftOut.map(\.name)).count == Self.leftOut.count)
    #expect(Self.leftOut.allSatisfy { !$0.reason.isEmpty })
  }

  private static let whenAbsent: Comment =
    "no observer-events.json in $OFFLINETREE_ORACLES or ../shared/oracles: skipped"

  private static func cases() -> [JSON]? {
    let folder = Oracle.environment("OFFLINETREE_ORACLES").map { URL(fileURLWithPath: $0) }
    let beside = Fixtures.package.deletingLastPathComponent().appendingPathComponent("shared/oracles")
    let file = (folder ?? beside).appendingPathComponent("observer-events.json")
    guard let bytes = try? Data(contentsOf: file) else { return nil }
    return (try? JSON(parsing: String(decoding: bytes, as: UTF8.self)))?.elements
  }

  /// A write that was made is never taken back here.
  private static func reverts(_ item: JSON) -> Bool {
    (item["steps"]?.elements ?? []).contains { $0["revert"]?.description == "true" }
  }

  /// Cases that have no meaning here, beside those that revert a write.
  static let leftOut: [(name: String, reason: String)] = [
    ("Ack for merge doesn't raise value event for later listen", acknowledged),
    ("Clear parent shadowing server values merge with server children", acknowledged),
    ("Clear parent shadowing server values set with server children", acknowledged),
    ("Deep merge on listener with complete children", partial),
    ("Deep set for non-local data doesn't raise events", tagged),
    ("Deep update raises immediate events only if has complete data", tagged),
    ("Descendant set below an empty default listener is ignored", partial),
    ("Edge case in newChildForChange_", partial),
    ("Handle repeated listen with merge as first update", partial),
    ("Limit query handles deep server merge for out-of-view item.", tagged),
    ("Limit query handles deep user merge for out-of-view item followed by server update.", tagged),
    ("Limit query handles deep user merge for out-of-view item.", tagged),
    ("Unrelated, acked set is not cached in tagged listen", tagged),
    ("Unrelated, acked update is not cached in tagged listen", tagged),
    ("Unrelated, untagged update is not cached in tagged listen", tagged),
    ("User write outside of limit is ignored for tagged queries", tagged),
  ]

  private static let partial =
    "Firebase's client knows a part of the node, and tells nothing before it has the rest; here all is known"
  private static let tagged =
    "the server answers a query with those children that it finds, and the others are unknown; here they are known"
  private static let acknowledged =
    "an acknowledged write is forgotten until the server sends it; here what was written is there"
}

/// One case, run against one device and, if it is to be so, a peer that makes all the changes.
final class OracleCase {
  private struct Pending {
    var number: Int64
    var writes: [OracleWrite]
  }

  private let steps: [JSON]
  private let device: Int
  private let home: ObservedHome
  private var server = OracleNode()
  private var pending: [Pending] = []
  private var shown = OracleNode()
  private var handles: [(path: String, query: DatabaseQuery, handles: [DatabaseHandle])] = []
  private var listeners = 0
  /// Places of which Firebase's client has told a value: until it knows the whole of a node, it tells none.
  private var known: Set<String> = []

  init(_ item: JSON, _ way: ObserverOracleTests.Way) throws {
    steps = item["steps"]?.elements ?? []
    device = way == .peer ? 1 : 0
    home = try ObservedHome(devices: way == .peer ? 2 : 1)
  }

  /// - Returns: What is wrong with the first step that raises other events.
  func run() async throws -> String? {
    for (index, step) in steps.enumerated() {
      try await perform(step)
      await home.database.settleObservers()
      let entries = home.log.take()
      if let problem = Self.misplaced(entries) { return "step \(index): \(problem)" }
      // The test data lists the events of a step by their names, and not in order.
      var told = entries.map(Self.line).sorted()
      var expected = try (step["events"]?.elements ?? []).map(Self.line).sorted()
      for path in Set(handles.map(\.path)) where !known.contains(path) {
        if expected.contains(where: { $0.hasPrefix("/\(path) value ") }) { known.insert(path) }
        // The first value of a node comes here with the observer, and in Firebase's client once all of it is known.
        told.removeAll { $0.hasPrefix("/\(path) value ") }
        expected.removeAll { $0.hasPrefix("/\(path) value ") }
      }
      if told != expected { return "step \(index) (\(step["type"]?.text ?? "")) told \(told), not \(expected)" }
    }
    return nil
  }

  /// Of each observer's events: those of children by kind, and the value last.
  private static func misplaced(_ entries: [ObserverLog.Entry]) -> String? {
    let order: [DataEventType] = [.childRemoved, .childAdded, .childMoved, .childChanged, .value]
    for (name, own) in Dictionary(grouping: entries, by: \.path) {
      let places = own.compactMap { order.firstIndex(of: $0.type) }
      if places != places.sorted() { return "the observer \(name) was told \(own)" }
    }
    return nil
  }

  private static func trimmed(_ path: String) -> String { path.split(separator: "/").joined(separator: "/") }

  private static func line(_ entry: ObserverLog.Entry) -> String {
    let path = trimmed(String(entry.path.prefix { $0 != "#" }))
    let text = text(entry.value)
    if entry.type == .value { return "/\(path) value \(text)" }
    let name = ["child_added", "child_removed", "child_changed", "child_moved"][min(entry.type.rawValue, 3)]
    return "/\(path) \(name) \(entry.key) \(entry.previous ?? "nil") \(text)"
  }

  private static func line(_ event: JSON) throws -> String {
    let path = trimmed(event["path"]?.text ?? "")
    let text = text(try NewValue(json: (event["data"] ?? .null).description))
    let type = event["type"]?.text ?? ""
    if type == "value" { return "/\(path) value \(text)" }
    return "/\(path) \(type) \(event["name"]?.text ?? "") \(event["prevName"]?.text ?? "nil") \(text)"
  }

  /// A value in short, with its priorities.
  private static func text(_ value: NewValue) -> String {
    let priority = value.priority.map { "@\($0)" } ?? ""
    switch value.content {
    case .scalar(let scalar): return "\(Value(scalar).json())\(priority)"
    case .object(let members):
      return "{\(members.map { "\($0.key): \(text($0.value))" }.joined(separator: ", "))}\(priority)"
    default: return "null"
    }
  }

  private func perform(_ step: JSON) async throws {
    let path = Self.trimmed(step["path"]?.text ?? "")
    switch step["type"]?.text {
    case "listen":
      let query = try query(step, path)
      listeners += 1
      handles.append((path, query, home.log.observe(query, as: "\(path)#\(listeners)")))
    case "unlisten":
      guard let index = handles.lastIndex(where: { $0.path == path }) else { return }
      let (_, query, old) = handles.remove(at: index)
      for handle in old { query.removeObserver(withHandle: handle) }
    case "set": try await write(path, [OracleWrite(path, step["data"] ?? .null)], step, isServer: false)
    case "serverUpdate": try await write(path, [OracleWrite(path, step["data"] ?? .null)], step, isServer: true)
    case "update": try await write(path, try merge(path, step), step, isServer: false)
    case "serverMerge": try await write(path, try merge(path, step), step, isServer: true)
    case "ackUserWrite":
      pending.removeAll { $0.number == step["writeId"]?.integer ?? 0 }
      try await show(path)
    default: break
    }
  }

  private func merge(_ path: String, _ step: JSON) throws -> [OracleWrite] {
    try (step["data"]?.members ?? []).map { try OracleWrite("\(path)/\($0.key)", $0.value) }
  }

  private func write(_ path: String, _ writes: [OracleWrite], _ step: JSON, isServer: Bool) async throws {
    if isServer {
      for write in writes { write.apply(to: &server) }
    } else {
      pending.append(Pending(number: step["writeId"]?.integer ?? Int64(pending.count), writes: writes))
    }
    try await show(path)
  }

  /// Writes what Firebase's client would show now, where it is another than before.
  private func show(_ path: String) async throws {
    var now = server
    for write in pending.flatMap(\.writes) { write.apply(to: &now) }
    guard now != shown else { return }
    let steps = Self.difference(from: shown, to: now, at: .root)
    shown = now
    try await home.write(on: device) { transaction in
      for (path, value) in steps { try transaction.setValue(value, at: path) }
    }
  }

  /// As few values as make one tree another; below a node whose priority changes all of it.
  private static func difference(from old: OracleNode, to new: OracleNode, at path: Path) -> [(Path, NewValue)] {
    if old == new { return [] }
    guard old.scalar == nil, new.scalar == nil, old.priority == new.priority, !old.isEmpty, !new.isEmpty else {
      return [(path, new.value)]
    }
    return Set(old.children.keys).union(new.children.keys).sorted().flatMap { key in
      difference(
        from: old.children[key] ?? OracleNode(), to: new.children[key] ?? OracleNode(),
        at: (try? path.child(key)) ?? path)
    }
  }

  private func query(_ step: JSON, _ path: String) throws -> DatabaseQuery {
    var query: DatabaseQuery = home.ref(path)
    guard let parameters = step["params"] else { return query }
    if let child = parameters["orderBy"]?.text { query = query.queryOrdered(byChild: child) }
    if parameters["orderByKey"] != nil { query = query.queryOrderedByKey() }
    let value = { (bound: JSON) -> Any? in
      if case .scalar(let scalar)? = bound["index"] { return Value.any(scalar) }
      return nil
    }
    if let bound = parameters["startAt"] {
      query = query.queryStarting(atValue: value(bound), childKey: bound["name"]?.text)
    }
    if let bound = parameters["startAfter"] {
      query = query.queryStarting(afterValue: value(bound), childKey: bound["name"]?.text)
    }
    if let bound = parameters["endAt"] {
      query = query.queryEnding(atValue: value(bound), childKey: bound["name"]?.text)
    }
    if let bound = parameters["endBefore"] {
      query = query.queryEnding(beforeValue: value(bound), childKey: bound["name"]?.text)
    }
    if let bound = parameters["equalTo"] {
      query = query.queryEqual(toValue: value(bound), childKey: bound["name"]?.text)
    }
    if let limit = parameters["limitToFirst"]?.integer { query = query.queryLimited(toFirst: UInt(limit)) }
    if let limit = parameters["limitToLast"]?.integer { query = query.queryLimited(toLast: UInt(limit)) }
    return query
  }
}
