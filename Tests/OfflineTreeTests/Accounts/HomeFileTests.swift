import TestSupport
import Testing

@testable import OfflineTree

/// The two small files of a home: who is logged in, and whose log-ins failed.
@Suite struct HomeFileTests {
  let folder: OfflineTreeTests.TemporaryFolder
  let attempts: AttemptFile
  let logins: LoginFile

  init() throws {
    folder = try OfflineTreeTests.TemporaryFolder()
    attempts = AttemptFile(home: folder.path)
    logins = LoginFile(home: folder.path)
  }

  private func user(_ number: UInt8) -> Key {
    Account.userID(space: .zero, publicKey: .zero, random: Bytes16([UInt8](repeating: number, count: 16)))
  }

  private func login(_ number: UInt8) -> LoginFile.Login {
    LoginFile.Login(user: user(number), session: Bytes16(0..<16), publicKey: Bytes32(0..<32))
  }

  @Test func `who logs in is the current one, and stays known after logging out`() throws {
    #expect(try logins.read() == LoginFile.Content())
    for number in [UInt8(1), 2, 1] { try logins.change { $0.setCurrent(login(number)) } }
    #expect(try logins.read().current == login(1))
    #expect(try logins.read().used == [user(1), user(2)])
    try logins.change { $0.current = nil }
    #expect(try LoginFile(home: folder.path).read() == LoginFile.Content(current: nil, used: [user(1), user(2)]))
    try logins.change { $0.forget(user(1)) }
    #expect(try logins.read().used == [user(2)])
    for number in UInt8(0)..<200 { try logins.change { $0.setCurrent(login(number)) } }
    #expect(try logins.read().used.count == 64)
  }

  @Test(arguments: [
    "alice\n", "offlinetree user 2\n", "offlinetree user 1\ncurrent x\n", "offlinetree user 1\nmore 1\n",
    "offlinetree user 1\ncurrent 0123456789012345678901234567 00 00\n", "\u{0}",
  ])
  func `a file that says something else is damaged, and nobody is logged in by it`(_ text: String) throws {
    try FileSystem.writeFileDurably("\(folder.path)/user", Array(text.utf8))
    #expect(error { try logins.read() }?.code == .damaged)
  }

  @Test func `five log-ins may fail, then each waits longer, at most 15 minutes`() throws {
    var now: Int64 = 1_000_000
    for _ in 0..<5 { try attempts.begin("a@b", now: now) }
    for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] as [Int64] {
      let error = error { try attempts.begin("a@b", now: now + seconds * 1_000 - 1) }
      #expect(error?.code == .tooManyRequests)
      #expect(error?.context.contains("wait 1 s") == true)
      // Whoever asks too early waits no longer for it.
      now += seconds * 1_000
      try AttemptFile(home: folder.path).begin("a@b", now: now)
    }
    try attempts.begin("c@d", now: now)
    try attempts.succeed("a@b")
    for _ in 0..<5 { try attempts.begin("a@b", now: now) }
    #expect(error { try attempts.begin("a@b", now: now) }?.context.contains("wait 1 s") == true)
  }

  @Test func `a clock that goes back locks nobody out`() throws {
    for _ in 0..<6 { _ = error { try attempts.begin("a@b", now: 1_000_000_000) } }
    #expect(error { try attempts.begin("a@b", now: 1_000) }?.code == .tooManyRequests)
    try attempts.begin("a@b", now: 2_001)
  }

  @Test func `however many emails fail, the file stays small, and junk in it keeps nobody out`() throws {
    for number in 0..<400 { try attempts.begin("\(number)@b", now: 1_000) }
    #expect(try FileSystem.readFile("\(folder.path)/attempts", maximumBytes: 1 << 20).count < 20_000)
    let junk = "x y z\n00 1 1\n\(Bytes16.zero) -5 \(Int64.min)\n\(Bytes16.zero) 99999999999999999999 1\n\u{0}"
    try FileSystem.writeFileDurably("\(folder.path)/attempts", Array(junk.utf8))
    try attempts.begin("a@b", now: 1_000)
  }
}
