import OfflineTree
import Testing

@testable import Replicator

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct ConnectionTests {
  @Test(.timeLimit(.minutes(60)))
  func `a connection that is stopped before it begins closes its socket`() async throws {
    let homes = try TestHomes()
    let database = try homes.make("first")
    var ends: [Int32] = [0, 0]
    #expect(unsafe socketpair(AF_UNIX, SocketCalls.stream, 0, &ends) == 0)
    let (ours, theirs) = (ends[0], ends[1])
    let end = await withCheckedContinuation { continuation in
      let connection = Connection(
        database, Membership(database), .listens(NonceMemory()), name: "test", isOnce: false,
        handlers: Connection.Handlers(closed: { continuation.resume(returning: $0.end) }))
      connection.stop()
      connection.start(ours)
    }
    #expect(end == .finished(.closing))
    var byte: UInt8 = 0
    #expect(unsafe read(theirs, &byte, 1) == 0)
    close(theirs)
  }
}
