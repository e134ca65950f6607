internal import Dispatch
import OfflineTree
import TestSupport

/// What observers were told, in order.
final class ObserverLog: Sendable {
  struct Entry: Sendable, CustomStringConvertible {
    var path: String
    var type: DataEventType
    var key: String
    var previous: String?
    /// With priorities.
    var value: NewValue

    var description: String {
      let name = ["added", "removed", "changed", "moved", "value"][type.rawValue]
      return type == .value ? "value" : "\(name) \(key) \(previous ?? "nil")"
    }
  }

  private let log = Monitor<[Entry]>([])
  private let failed = Monitor<[any Error]>([])

  var entries: [Entry] { log.withLock { $0 } }
  var errors: [any Error] { failed.withLock { $0 } }

  /// In short: kind, key and the key before.
  var lines: [String] { entries.map(\.description) }

  /// What there is, and nothing afterwards.
  func take() -> [Entry] {
    log.withLock { log in
      defer { log = [] }
      return log
    }
  }

  func takeLines() -> [String] { take().map(\.description) }

  func note(_ type: DataEventType, _ snapshot: DataSnapshot, _ previous: String?, at path: String) {
    do {
      let value = try NewValue(any: try snapshot.valueInExportFormat())
      log.withLock {
        $0.append(Entry(path: path, type: type, key: snapshot.key, previous: previous, value: value))
      }
    } catch {
      note(error)
    }
  }

  func note(_ error: any Error) { failed.withLock { $0.append(error) } }

  /// Observes events of some kinds; of all of them unless it is said which.
  /// - Parameter name: Stands in the entries for where it is observed.
  @discardableResult
  func observe(
    _ query: DatabaseQuery,
    _ types: [DataEventType] = [.childRemoved, .childAdded, .childMoved, .childChanged, .value],
    as name: String? = nil
  ) -> [DatabaseHandle] {
    let path = name ?? query.path.description
    return types.map { type in
      query.observe(type) { [self] snapshot, previous in
        note(type, snapshot, previous, at: path)
      } withCancel: { [self] in
        note($0)
      }
    }
  }
}

/// A home with observers that are called on a queue of their own.
final class ObservedHome {
  let fleet: Fleet
  var database: Database { fleet[0] }
  let log = ObserverLog()

  init(devices: Int = 1, seed: UInt64 = 1) throws {
    fleet = try Fleet(devices, seed: seed, addOnlySets: [], flags: [])
    for index in 0..<devices { fleet[index].callbackQueue = DispatchQueue(label: "test.observers") }
  }

  func ref(_ path: String) -> DatabaseReference { database.reference(withPath: path) }

  /// Writes on a device, and gives it to the others.
  func write(on device: Int = 0, _ body: @escaping @Sendable (WriteTransaction) throws -> Void) async throws {
    for other in 0..<fleet.members.count where other != device { try fleet.send(from: other, to: device) }
    try await fleet[device].write(body)
    for other in 0..<fleet.members.count where other != device { try fleet.send(from: device, to: other) }
    await database.settleObservers()
  }

  func set(_ path: String, _ json: String, on device: Int = 0) async throws {
    let (path, value) = (try Path(path), try NewValue(json: json))
    try await write(on: device) { try $0.setValue(value, at: path) }
  }

  func update(_ path: String, _ values: [String: String], on device: Int = 0) async throws {
    let children = try values.sorted { $0.key < $1.key }.map { (try Path($0.key), try NewValue(json: $0.value)) }
    let path = try Path(path)
    try await write(on: device) { try $0.updateChildren(children, at: path) }
  }
}
