/// One thing that happens in a simulated history: a line of its text.
///
/// A step whose time is not right, since another one was left out, does nothing.
package struct Step: Hashable, Sendable, CustomStringConvertible {
  package enum Verb: String, CaseIterable, Sendable {
    // One change of this device.
    case increments, sets, removes, votes, pushes, ranks, adds
    // Acts of authority.
    case expels, voids, rotates, joins
    // Time.
    case jumps, waits
    // Connections: open one, let so many frames arrive, work, lose it, close it; or all of it at once.
    case meets, hears, works, loses, stops, talks
    // The shared folder: an exchange with the own copy; what the carrier does to the copy.
    case exchanges, gets, misses, drops, tears, zeroes, forks, shouts, litters
    // The device: its program dies, its power fails, its home is copied, put back, cloned.
    case dies, faints, saves, restores, clones
    // History.
    case keeps, compacts, vouches
    // A member with a changed program.
    case lies, tells, plants
    // The laws are checked here as well.
    case checks
  }

  package let actor: String
  package let verb: Verb
  package let words: [String]

  package init(_ actor: String, _ verb: Verb, _ words: [String] = []) {
    (self.actor, self.verb, self.words) = (actor, verb, words)
  }

  /// Reads a line: actor, verb, and the rest.
  package init(line: String) throws(StoryError) {
    let words = line.split(separator: " ").map(String.init)
    guard words.count >= 2, let verb = Verb(rawValue: words[1]) else { throw StoryError("no step: \(line)") }
    self.init(words[0], verb, Array(words.dropFirst(2)))
  }

  package var description: String { ([actor, verb.rawValue] + words).joined(separator: " ") }

  /// A word as a number; 0 where there is none.
  package func number(_ index: Int) -> Int { index < words.count ? Int(words[index]) ?? 0 : 0 }

  package func word(_ index: Int) -> String { index < words.count ? words[index] : "" }
}

package struct StoryError: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
