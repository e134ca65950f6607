import Dispatch
import OfflineTree
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct HomeTests {
  let folder: TemporaryFolder
  var path: String { "\(folder.path)/home" }

  init() throws { folder = try TemporaryFolder() }

  @Test func `a home is made private, and opened again`() throws {
    let home = try Home(creating: path)
    var status = stat()
    #expect(unsafe stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
    try home.openStore().write { try $0.put(.meta, [1], [1]) }
    #expect(try Home(creating: path).openStore().read { try $0.get(.meta, [1]) } == [1])
    #expect(try Home(existing: path).path == path)
    #expect(unsafe stat("\(path)/data/data.mdb", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test(arguments: [0o755, 0o770, 0o701, 0o500] as [mode_t]) func `a home that is not private is refused`(
    mode: mode_t
  ) throws {
    _ = try Home(creating: path)
    #expect(unsafe chmod(path, mode) == 0)
    #expect(errorCode { try Home(existing: path) } == .inputOutput)
    #expect(errorCode { try Home(creating: path) } == .inputOutput)
  }

  @Test func `a missing home is not found, and a file is no home`() throws {
    #expect(errorCode { try Home(existing: path) } == .notFound)
    #expect(errorCode { try Home(creating: "\(path)/deeper") } == .notFound)
    try FileSystem.writeFileDurably(path, [1])
    #expect(errorCode { try Home(creating: path) } == .inputOutput)
  }

  @Test func `one publisher has a home, until it lets go`() throws {
    let home = try Home(creating: path)
    do {
      let lock = try PublisherLock(home)
      #expect(errorCode { try PublisherLock(home) } == .unavailable)
      withExtendedLifetime(lock) {}
    }
    #expect(errorCode { try PublisherLock(home) } == nil)
  }

  @Test func `a bump of the wake file wakes who watches it`() async throws {
    let home = try Home(creating: path)
    let wake = try WakeFile(home)
    let (wakings, continuation) = AsyncStream<Void>.makeStream()
    let watcher = try WakeWatcher(home) { continuation.yield() }
    var iterator = wakings.makeAsyncIterator()
    for number in 1...3 as ClosedRange<UInt64> {
      try wake.bump(number)
      #expect(await iterator.next() != nil)
    }
    #expect(try FileSystem.readFile(home.wakePath, maximumBytes: 64) == Array("3\n".utf8))
    withExtendedLifetime(watcher) {}
  }

  @Test(arguments: [".stfolder", ".dropbox.cache"]) func `a store inside a synced folder is refused`(
    marker: String
  ) throws {
    try FileSystem.makeDirectory("\(folder.path)/\(marker)")
    let home = try Home(creating: path)
    #expect(errorCode { try home.openStore() } == .refused)
    var options = StoreOptions()
    options.allowsSyncedFolder = true
    #expect(try home.openStore(options).read { try $0.isEmpty(.meta) })
  }
}
