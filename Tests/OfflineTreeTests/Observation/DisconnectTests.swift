import OfflineTree
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What is written when a device is cut off, and what it knows of its connections.
@Suite struct DisconnectTests {
  private func value(_ home: ObservedHome, _ path: String) throws -> Value {
    try home.database.read { try $0.value(at: try Path(path)) }
  }

  @Test func `what was asked for is written once when the last connection is lost`() async throws {
    let home = try ObservedHome()
    home.database.connectionOpened()
    home.database.connectionOpened()
    try await home.ref("online").onDisconnectSetValue(ServerValue.increment(1))
    try await home.ref("away").onDisconnectUpdateChildValues(["since": ServerValue.timestamp(), "a/b": 1])
    try await home.set("here", "1")
    try await home.ref("here").onDisconnectRemoveValue()
    home.database.connectionClosed()
    try await home.database.write { _ in }
    #expect(try value(home, "online") == .null)
    home.database.connectionClosed()
    try await home.database.write { _ in }
    #expect(try value(home, "online") == 1)
    #expect(try value(home, "away/since") == .int(home.fleet.members[0].clock.now))
    #expect(try value(home, "away/a/b") == 1)
    #expect(try value(home, "here") == .null)
    home.database.connectionOpened()
    home.database.connectionClosed()
    home.database.goOffline()
    home.database.close()
    try home.fleet.reopen(0)
    #expect(try value(home, "online") == 1)
  }

  @Test func `what is cancelled at or above is not written`() async throws {
    let home = try ObservedHome()
    try await home.ref("a/b").onDisconnectSetValue(1)
    try await home.ref("a/c").onDisconnectSetValue(1, andPriority: 2)
    try await home.ref("").onDisconnectUpdateChildValues(["a/d": 1, "e": 1])
    try await home.ref("a").cancelDisconnectOperations()
    try await home.ref("a/f").onDisconnectSetValue(2)
    home.database.goOffline()
    try await home.database.write { _ in }
    #expect(try value(home, "") == (try Value(json: #"{"a": {"f": 2}, "e": 1}"#)))
  }

  @Test func `closing writes it, and opening writes what a dead process left, once`() async throws {
    let home = try ObservedHome()
    try await home.ref("closed").onDisconnectSetValue(ServerValue.increment(1))
    home.database.close()
    try home.fleet.reopen(0)
    #expect(try value(home, "closed") == 1)
    home.database.close()
    let path = home.fleet.members[0].home
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let database = try Database.open(at: path, environment: TestClock(now: 1_000_000, seed: 9).environment)
      try await database.reference(withPath: "killed").onDisconnectSetValue(ServerValue.increment(1))
      try await database.reference(withPath: "killed2").onDisconnectSetValue(["a": true])
      kill(getpid(), SIGKILL)
    }
    for _ in 0..<3 {
      try home.fleet.reopen(0)
      try await home.database.write { _ in }
      #expect(try value(home, "killed") == 1)
      #expect(try value(home, "killed2/a") == true)
    }
    #expect(try FileSystem.list(path).filter { $0.hasPrefix("disconnect-") } == [])
  }

  @Test func `what a living process asked for is left to it`() async throws {
    let home = try ObservedHome()
    try await home.ref("x").onDisconnectSetValue(1)
    let path = home.fleet.members[0].home
    await #expect(processExitsWith: .success) { [path = path as String] in
      let database = try Database.open(at: path, environment: TestClock(now: 1_000_000, seed: 9).environment)
      try await database.write { _ in }
      database.close()
    }
    #expect(try value(home, "x") == .null)
    home.database.goOffline()
    try await home.database.write { _ in }
    #expect(try value(home, "x") == 1)
  }

  @Test func `what may not be written is refused when it is asked for, or told when it is due`() async throws {
    let home = try ObservedHome()
    await #expect(throws: TreeError.self) { try await home.ref(".info/connected").onDisconnectSetValue(1) }
    await #expect(throws: TreeError.self) { try await home.ref("a.b").onDisconnectSetValue(1) }
    await #expect(throws: TreeError.self) { try await home.ref("a").onDisconnectSetValue(Double.nan) }
    await #expect(throws: TreeError.self) { try await home.ref("a").onDisconnectUpdateChildValues(["b": 1, "b/c": 2]) }
  }

  @Test func `.info tells of connections and of the clock, and cannot be written`() async throws {
    let home = try ObservedHome()
    let connected = home.ref(".info/connected")
    let told = Monitor<[Bool]>([])
    connected.observe(.value) { snapshot in
      told.withLock { $0.append((try? snapshot.value as? Bool) ?? false) }
    }
    await home.database.settleObservers()
    home.database.connectionOpened()
    await home.database.settleObservers()
    home.database.connectionOpened()
    await home.database.settleObservers()
    home.database.goOffline()
    await home.database.settleObservers()
    home.database.goOnline()
    await home.database.settleObservers()
    home.database.connectionClosed()
    home.database.connectionClosed()
    await home.database.settleObservers()
    #expect(told.withLock { $0 } == [false, true, false, true, false])
    #expect(try await home.ref(".info/serverTimeOffset").getData().value as? Int == 0)
    #expect(
      try await home.ref(".info").getData().value as? [String: AnyHashable] == [
        "connected": false, "serverTimeOffset": 0,
      ])
    await #expect(throws: TreeError.self) { try await connected.setValue(true) }
    await #expect(throws: TreeError.self) { try await home.ref(".info/other").getData() }
  }
}
