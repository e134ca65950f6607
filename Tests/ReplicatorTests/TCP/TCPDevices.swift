import Foundation
import OfflineTree
import Testing

@testable import Replicator

/// Homes of one space that meet over real sockets, in a temporary folder that goes with them.
final class TCPDevices {
  let directory: String
  private(set) var databases: [Database] = []
  private let options = Database.Options(durability: .unsafeNoSync)

  /// The first home founds the space, the others join it.
  init(_ count: Int) throws {
    directory = NSTemporaryDirectory() + "tcp-\(hexadecimal(Sodium.randomBytes(8)))"
    try FileSystem.makeDirectory(directory)
    databases = [
      try Database.create(
        at: "\(directory)/0", space: "test", recovery: RecoveryCode(), deviceName: "device 0", options: options)
    ]
    let invite = try databases[0].invite()
    for index in 1..<max(count, 1) {
      databases.append(
        try Database.join(
          at: "\(directory)/\(index)", invite: invite, deviceName: "device \(index)", options: options))
    }
  }

  deinit {
    for database in databases { database.close() }
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// A copy of a home, as another machine would have it from a backup.
  func copy(_ index: Int) throws {
    databases[index].close()
    let (home, copy) = ("\(directory)/\(index)", "\(directory)/\(databases.count)")
    databases.remove(at: index)
    try FileManager.default.copyItem(atPath: home, toPath: copy)
    databases.insert(try Database.open(at: home, options: options), at: index)
    databases.append(try Database.open(at: copy, options: options))
  }

  func listen(
    _ index: Int = 0, port: Int = 0, _ events: EventLog = EventLog(), as membership: Membership? = nil
  ) throws -> TCPListener {
    try TCPListener(
      database: databases[index], membership: membership ?? Membership(databases[index]), host: "127.0.0.1", port: port
    ) { events.add($0) }
  }

  func peer(
    _ index: Int, port: Int, _ events: EventLog = EventLog(), as membership: Membership? = nil
  ) -> TCPPeer {
    TCPPeer(
      database: databases[index], membership: membership ?? Membership(databases[index]), host: "127.0.0.1", port: port
    ) { events.add($0) }
  }

  func post(_ text: String, by index: Int) async throws {
    let path = try Path("notes/\(text)")
    _ = try await databases[index].write { try $0.setValue(.string(text) as Value, at: path) }
  }

  func note(_ text: String, at index: Int) throws -> Value {
    let path = try Path("notes/\(text)")
    return try databases[index].read { try $0.value(at: path) }
  }

  func areEqual() throws -> Bool {
    let clocks = Set(try databases.map { try $0.clock() })
    let states = Set(try databases.map { database in try database.read { try $0.stateHash() } })
    return clocks.count == 1 && states.count == 1
  }
}

/// What connections told.
final class EventLog: Sendable {
  private let events = Monitor<[PeerEvent]>([])

  func add(_ event: PeerEvent) { events.withLock { $0.append(event) } }

  var all: [PeerEvent] { events.withLock { $0 } }

  var connectedCount: Int {
    all.count { if case .connected = $0 { true } else { false } }
  }

  var errors: [TreeError] {
    all.compactMap { if case .disconnected(_, let error) = $0 { error } else { nil } }
  }
}
