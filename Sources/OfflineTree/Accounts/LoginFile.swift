/// Who is logged in on a home, and who was before: the file `user` of the home, mode 0600.
///
/// ```
/// offlinetree user 1
/// current ‹uid› ‹session› ‹user's key›
/// used ‹uid›
/// ```
/// `current` is missing while nobody is logged in. It holds nothing secret: a device shows by its own key that a session
/// is its own.
struct LoginFile: Sendable {
  /// Somebody's session on this device.
  struct Login: Sendable, Equatable {
    let user: Key
    let session: Bytes16
    /// The user's key that has signed the session.
    let publicKey: Bytes32
  }

  struct Content: Sendable, Equatable {
    var current: Login?
    /// Users who have logged in here, the last one first.
    var used: [Key] = []

    mutating func setCurrent(_ login: Login) {
      current = login
      used.removeAll { $0 == login.user }
      used.insert(login.user, at: 0)
      used.removeLast(max(0, used.count - LoginFile.usedLimit))
    }

    mutating func forget(_ user: Key) {
      if current?.user == user { current = nil }
      used.removeAll { $0 == user }
    }
  }

  private static let title = "offlinetree user 1"
  private static let usedLimit = 64
  private static let maximumBytes = 8_192

  private let path: String

  init(home: String) { path = "\(home)/user" }

  /// - Throws: `damaged` if the file holds something else.
  func read() throws(TreeError) -> Content {
    let bytes: [UInt8]
    do throws(TreeError) {
      bytes = try FileSystem.readFile(path, maximumBytes: Self.maximumBytes)
    } catch {
      if error.code == .notFound { return Content() }
      throw error
    }
    guard let content = Self.decode(bytes) else {
      throw TreeError(.damaged, "\(path) does not say who is logged in", advice: "Remove the file, and log in again.")
    }
    return content
  }

  /// Changes the file, in turn with other processes; durable when it returns.
  /// - Returns: What it held before.
  @discardableResult
  func change(_ body: (inout Content) -> Void) throws(TreeError) -> Content {
    try FileLock.withLock("\(path).lock") { () throws(TreeError) in
      let before = try read()
      var content = before
      body(&content)
      if content != before { try FileSystem.writeFileDurably(path, Array(Self.encode(content).utf8), mode: 0o600) }
      return before
    }
  }

  private static func encode(_ content: Content) -> String {
    var lines = [title]
    if let login = content.current { lines.append("current \(login.user) \(login.session) \(login.publicKey)") }
    lines += content.used.map { "used \($0)" }
    return lines.map { "\($0)\n" }.joined()
  }

  private static func decode(_ bytes: [UInt8]) -> Content? {
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    guard let first = lines.first, first.elementsEqual(title.utf8) else { return nil }
    var content = Content()
    for line in lines.dropFirst() {
      let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
      guard words.count > 1, let user = try? Key(words[1]), Account.isUserID(user) else { return nil }
      switch (words[0].utf8.first, words.count) {
      case (UInt8(ascii: "u"), 2): content.used.append(user)
      case (UInt8(ascii: "c"), 4):
        guard let session = OfflineTree.bytes(fromHexadecimal: words[2]), session.count == 16,
          let key = OfflineTree.bytes(fromHexadecimal: words[3]), key.count == 32
        else { return nil }
        content.current = Login(user: user, session: Bytes16(session), publicKey: Bytes32(key))
      default: return nil
      }
    }
    return content
  }
}
