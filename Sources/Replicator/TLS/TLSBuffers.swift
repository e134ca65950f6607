import OfflineTree

/// What one session of TLS reads from, writes to, and knows of keys. Touched by its session alone.
final class TLSBuffers {
  private var inbox: [UInt8] = []
  private var taken = 0
  private var outbox: [UInt8] = []
  /// The keys of the end that listens.
  private let keyring: TLSKeyring?
  /// Was a key found for the hello?
  private var isKeyFound = false
  /// May bytes leave? The end that listens says nothing until it has read a hello with a key that it knows.
  private(set) var mayAnswer: Bool
  /// Was something kept from leaving? Else a call that moved no byte only came too early.
  private(set) var isMuzzled = false

  init(keyring: TLSKeyring?) {
    self.keyring = keyring
    mayAnswer = keyring == nil
  }

  /// Bytes that came and were not read by the session.
  var heldBytes: Int { inbox.count - taken }

  func arrived(_ bytes: ArraySlice<UInt8>) {
    if taken == inbox.count {
      inbox.removeAll(keepingCapacity: inbox.capacity <= 1 << 18)
      taken = 0
    }
    inbox += bytes
  }

  /// The next bytes to read, up to `count`.
  func take(_ count: Int) -> ArraySlice<UInt8> {
    let part = inbox[taken...].prefix(count)
    taken += part.count
    return part
  }

  /// False if nothing may leave.
  func leave(_ bytes: some Sequence<UInt8>) -> Bool {
    if mayAnswer { outbox += bytes } else { isMuzzled = true }
    return mayAnswer
  }

  /// What is to be sent.
  func takeOutput() -> [UInt8] {
    defer { outbox = [] }
    return outbox
  }

  /// Gives the key of an identity to `body`. One that is unknown gets a random key, and fails where a wrong key does.
  func withKey<R>(of identity: [UInt8], _ body: (borrowing Secret) -> R) -> R {
    // Drawn in either case: the time says nothing.
    var random = Sodium.randomBytes(32)
    let nobodys = Secret(&random)
    guard let epoch = keyring?.epoch(for: identity) else { return body(nobodys) }
    isKeyFound = true
    return body(epoch.preSharedKey)
  }

  /// The hello was read to its end: true if the session may go on.
  func helloWasRead(withKey isWithKey: Bool) -> Bool {
    mayAnswer = isKeyFound && isWithKey
    return mayAnswer
  }
}
