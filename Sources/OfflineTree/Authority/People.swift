/// Accounts, and who is logged in where: what the records about people come to.
///
/// Nothing that decides on devices rests on this: acts about people are changes of their own (docs/merge.md).
package struct People: Sendable {
  /// A user on a device.
  struct Seat: Hashable {
    let user: Key
    let device: Bytes32
  }

  /// The end of a session or of a user's key that stands.
  package struct End: Sendable, Equatable {
    /// The index of its record.
    let record: Int
    package let dot: Dot
    package let subject: ControlOperation.Subject
    let level: Level
  }

  /// Ends of a higher level void what makes those of a lower one; those of one level do not judge each other.
  enum Level: Comparable {
    /// What the key or a session of the user does, or the device on which the session is.
    case person
    /// An owner, or the account's recovery key.
    case above
  }

  /// What stands of one person's records.
  package struct Standing: Sendable, Equatable {
    /// By record: why it is void, if it is.
    var verdicts: [Int: String] = [:]
    package var ends: [End] = []
  }

  /// By user: records about them, in a causal order.
  private(set) var records: [Key: [Int]] = [:]
  /// Records with a session, by the user and the device that may act for them.
  private(set) var sessions: [Seat: [Int]] = [:]
  /// By device: records that make an account.
  private(set) var made: [Bytes32: [Int]] = [:]
  /// By user: owners' records that vouch for them.
  private(set) var vouches: [Key: [Int]] = [:]
  /// By element: records that say whether it is shown.
  private(set) var removals: [PathKey: [Int]] = [:]
  /// Why records about people are void that stand as far as devices go.
  private(set) var verdicts: [Int: String] = [:]
  private(set) var ends: [Key: [End]] = [:]

  var isEmpty: Bool { records.isEmpty }

  var endDots: Set<Dot> { Set(ends.values.joined().map(\.dot)) }

  var users: some Sequence<Key> { records.keys }

  mutating func note(_ record: Authority.Record, _ index: Int) {
    guard let user = record.person else { return }
    records[user, default: []].append(index)
    for operation in record.controls {
      switch operation {
      case .account: made[record.device, default: []].append(index)
      case .session: sessions[Seat(user: user, device: record.device), default: []].append(index)
      case .retract(let path): noteRemoval(of: path, index)
      default: break
      }
    }
  }

  mutating func noteVouch(for user: Key, _ index: Int) { vouches[user, default: []].append(index) }

  mutating func noteRemoval(of path: PathKey, _ index: Int) { removals[path, default: []].append(index) }

  package func standing(of user: Key) -> Standing {
    var standing = Standing(ends: ends[user] ?? [])
    for index in records[user] ?? [] { standing.verdicts[index] = verdicts[index] }
    return standing
  }

  /// What stands now, as questions of a change by this user need it. O(1).
  func current(_ user: Key?) -> Standing { Standing(verdicts: verdicts, ends: user.flatMap { ends[$0] } ?? []) }

  /// Devices on which the user has ever logged in.
  package func devices(of user: Key) -> Set<Bytes32> {
    Set(sessions.keys.lazy.filter { $0.user == user }.map(\.device))
  }

  mutating func adopt(_ standing: Standing, of user: Key) {
    for index in records[user] ?? [] { verdicts[index] = standing.verdicts[index] }
    ends[user] = standing.ends.isEmpty ? nil : standing.ends
  }
}
