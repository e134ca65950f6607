/// Who stands in a listener's door: connections that have not proven who they are, and those that have.
///
/// A value: lock, change, unlock, then act.
struct Doorway<Guest> {
  /// Connections whose other end has not proven who it is.
  static var halfOpen: Int { 64 }
  /// … from one network address.
  static var halfOpenPerAddress: Int { 8 }
  /// Connections of others in all.
  static var places: Int { 512 }
  /// The last of them, which only members get.
  static var placesForMembers: Int { 16 }

  /// Told to go and not gone yet: while there are more, nobody is let in.
  private static var leaving: Int { 64 }

  private struct Candidate {
    let number: UInt64
    let address: [UInt8]
    let guest: Guest
    /// It holds the space's key.
    var isKeyed = false
  }

  /// Oldest first.
  private var candidates: [Candidate] = []
  /// Told to go; one may still prove itself first.
  private var displaced: [UInt64: Guest] = [:]
  private var proven: [UInt64: Guest] = [:]
  private var nextNumber: UInt64 = 0

  var halfOpenCount: Int { candidates.count }
  var isCrowded: Bool { displaced.count > Self.leaving }
  /// Everybody who was not seen to leave.
  var guests: [Guest] { candidates.map(\.guest) + Array(displaced.values) + Array(proven.values) }

  mutating func number() -> UInt64 {
    nextNumber += 1
    return nextNumber
  }

  /// Takes somebody in; the answer has to go. Nobody is refused: the oldest gives way, one without the key first, so
  /// that who lacks the key cannot push out who has it.
  mutating func enter(_ guest: Guest, number: UInt64, address: [UInt8]) -> Guest? {
    candidates.append(Candidate(number: number, address: address, guest: guest))
    if candidates.count(where: { $0.address == address }) > Self.halfOpenPerAddress {
      return displace { $0.address == address }
    }
    return candidates.count > Self.halfOpen ? displace { _ in true } : nil
  }

  private mutating func displace(_ isMeant: (Candidate) -> Bool) -> Guest? {
    let index =
      candidates.dropLast().firstIndex { isMeant($0) && !$0.isKeyed } ?? candidates.firstIndex(where: isMeant)
    guard let index else { return nil }
    let candidate = candidates.remove(at: index)
    displaced[candidate.number] = candidate.guest
    return candidate.guest
  }

  mutating func keyed(_ number: UInt64) {
    if let index = candidates.firstIndex(where: { $0.number == number }) { candidates[index].isKeyed = true }
  }

  func isProven(_ number: UInt64) -> Bool { proven[number] != nil }

  /// Somebody has proven who it is; the answer has to go, as there is no place.
  mutating func proved(_ number: UInt64, isMember: Bool) -> Guest? {
    let found: Guest?
    if let index = candidates.firstIndex(where: { $0.number == number }) {
      found = candidates.remove(at: index).guest
    } else {
      found = displaced.removeValue(forKey: number)
    }
    guard let found else { return nil }
    let places = isMember ? Self.places : Self.places - Self.placesForMembers
    if proven.count >= places {
      displaced[number] = found
      return found
    }
    proven[number] = found
    return nil
  }

  mutating func left(_ number: UInt64) {
    proven[number] = nil
    displaced[number] = nil
    candidates.removeAll { $0.number == number }
  }
}
