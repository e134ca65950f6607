/// Accounts, and who is logged in where: what the records about people come to (docs/merge.md, "People").
///
/// Nothing that decides on devices rests on this: acts about people are changes of their own.
package struct People: Sendable {
  /// The end of a session or of a user's key.
  package struct End: Sendable, Equatable {
    /// The index of its record.
    let record: Int
    package let dot: Dot
    package let subject: ControlOperation.Subject
    let level: Level
  }

  enum Level: Comparable {
    /// What the key or a session of the user does, or the device on which the session is.
    case person
    /// An owner, or the account's recovery key.
    case above
  }

  /// How ends are found: each step judges every record anew, by the ends of the steps before it.
  enum Step: Int, CaseIterable {
    /// By what a record had seen, alone.
    case past
    /// By the ends from above as well.
    case above
    /// By all ends.
    case all
  }

  /// An owner's word that an email is somebody's.
  struct Vouched: Hashable {
    let user: Key
    let email: String
  }

  private(set) var persons: [Key: Person] = [:]
  /// By device: records that make an account.
  private(set) var made: [Bytes32: [Int]] = [:]
  /// By element: records that say whether it is shown.
  private(set) var removals: [PathKey: [Int]] = [:]
  /// Records that vouch for somebody, and of them those that stand.
  private var vouching: [Int] = []
  private var vouches: [Vouched: [Int]] = [:]
  private var vouchesOfAnyEmail: [Key: [Int]] = [:]
  /// Whose records have to be judged anew before anything that was applied is believed.
  private(set) var unsettled: Set<Key> = []

  var isEmpty: Bool { persons.isEmpty }

  var endDots: Set<Dot> { Set(persons.values.flatMap { $0.ends.values.joined().map(\.dot) }) }

  var users: some Sequence<Key> { persons.keys }

  subscript(user: Key) -> Person { persons[user] ?? Person() }

  // MARK: Keeping up

  mutating func note(_ record: Authority.Record, _ index: Int, space: SpaceID?) {
    guard let user = record.person, let space else { return }
    persons[user, default: Person()].note(record, index, space: space)
    for operation in record.controls {
      switch operation {
      case .account: if made[record.device]?.last != index { made[record.device, default: []].append(index) }
      case .retract(let path): noteRemoval(of: path, index)
      default: break
      }
    }
  }

  mutating func noteRemoval(of path: PathKey, _ index: Int) { removals[path, default: []].append(index) }

  mutating func noteVouch(_ index: Int) { if vouching.last != index { vouching.append(index) } }

  /// Takes over what the verdicts on devices say of owners' words.
  mutating func keepVouches(_ records: [Authority.Record], _ verdicts: [String?]) {
    (vouches, vouchesOfAnyEmail) = ([:], [:])
    for index in vouching where verdicts[index] == nil { keepVouch(records[index], index) }
  }

  /// Takes over an owner's word that stands.
  mutating func keepVouch(_ record: Authority.Record, _ index: Int) {
    for case .vouch(let user, let email) in record.controls {
      vouches[Vouched(user: user, email: email), default: []].append(index)
      if vouchesOfAnyEmail[user]?.last != index { vouchesOfAnyEmail[user, default: []].append(index) }
    }
  }

  /// Records that stand and vouch for somebody's email, or for any email of theirs.
  func vouches(for user: Key, _ email: String? = nil) -> [Int] {
    if let email { return vouches[Vouched(user: user, email: email)] ?? [] }
    return vouchesOfAnyEmail[user] ?? []
  }

  /// Gives a person away, to be changed in one place, until `put` gives it back.
  mutating func take(_ user: Key) -> Person { persons.removeValue(forKey: user) ?? Person() }

  mutating func put(_ person: Person, _ user: Key) { persons[user] = person }

  mutating func unsettle(_ user: Key) { unsettled.insert(user) }

  mutating func settle(_ user: Key) { unsettled.remove(user) }
}
