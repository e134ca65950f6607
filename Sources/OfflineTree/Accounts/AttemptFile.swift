/// Log-ins that failed, by email: who goes on guessing waits longer and longer. The file `attempts` of the home.
///
/// It stops who sits at this device. A member of the space can guess elsewhere, at what the password's profile costs.
struct AttemptFile: Sendable {
  /// Attempts that may fail before anybody waits.
  static let free = 5
  static let longestMilliseconds: Int64 = 900_000
  private static let entryLimit = 256
  private static let maximumBytes = 65_536

  private struct Entry {
    let email: Bytes16
    var failures: Int
    var last: Int64
  }

  private let path: String

  init(home: String) { path = "\(home)/attempts" }

  /// How long who has failed so often has to wait, in milliseconds: 1 s, 2 s, 4 s …, at most 15 minutes.
  static func delay(failures: Int) -> Int64 {
    failures < free ? 0 : min(longestMilliseconds, 1_000 << Int64(min(failures - free, 20)))
  }

  /// Counts an attempt as failed before it is made, so that whoever stops the program has not tried for nothing.
  ///
  /// - Throws: `tooManyRequests` if it is too early.
  func begin(_ email: String, now: Int64) throws(TreeError) {
    try change { (entries) throws(TreeError) in
      let name = Self.name(email)
      var entry = Entry(email: name, failures: 0, last: now)
      if let place = entries.firstIndex(where: { $0.email == name }) { entry = entries.remove(at: place) }
      // A clock that went back makes nobody wait longer than the delay.
      if entry.last > now { entry.last = now }
      let rest = entry.last + Self.delay(failures: entry.failures) - now
      let isEarly = rest > 0 && entry.failures >= Self.free
      if !isEarly { entry = Entry(email: name, failures: entry.failures + 1, last: now) }
      entries.insert(entry, at: 0)
      if !isEarly { return nil }
      let seconds = (rest + 999) / 1_000
      return TreeError(
        .tooManyRequests, "too many log-ins as \(email) have failed: wait \(seconds) s",
        advice: "Who has forgotten the password logs in with the recovery code.")
    }
  }

  /// Forgets what failed: the password was right.
  func succeed(_ email: String) throws(TreeError) {
    try change { (entries) throws(TreeError) in
      entries.removeAll { $0.email == Self.name(email) }
      return nil
    }
  }

  private static func name(_ email: String) -> Bytes16 { Sodium.hash16(Array("OT attempt 1".utf8) + Array(email.utf8)) }

  /// Changes the file, in turn with other processes, and throws what `body` returns.
  private func change(_ body: (inout [Entry]) throws(TreeError) -> TreeError?) throws(TreeError) {
    let error = try FileLock.withLock("\(path).lock") { () throws(TreeError) in
      var entries = try read()
      let error = try body(&entries)
      let lines = entries.prefix(Self.entryLimit).map { "\($0.email) \($0.failures) \($0.last)\n" }
      try FileSystem.writeFileDurably(path, Array(lines.joined().utf8), mode: 0o600)
      return error
    }
    if let error { throw error }
  }

  private func read() throws(TreeError) -> [Entry] {
    do throws(TreeError) {
      let bytes = try FileSystem.readFile(path, maximumBytes: Self.maximumBytes)
      // A line that says nothing keeps nobody out.
      return bytes.split(separator: UInt8(ascii: "\n")).compactMap(Self.entry)
    } catch {
      if error.code == .notFound { return [] }
      throw error
    }
  }

  private static func entry(_ line: ArraySlice<UInt8>) -> Entry? {
    let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    guard words.count == 3, let email = bytes(fromHexadecimal: words[0]), email.count == 16,
      let failures = Int(words[1]), (0...1_000_000_000).contains(failures),
      let last = Int64(words[2]), (0...Int64.max / 2).contains(last)
    else { return nil }
    return Entry(email: Bytes16(email), failures: failures, last: last)
  }
}
