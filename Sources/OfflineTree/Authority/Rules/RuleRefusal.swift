/// Why the rules do not allow a change.
package struct RuleRefusal: Sendable, Equatable {
  package enum Kind: String, Sendable {
    /// A clear, a put, a priority or a file that no `.write` allows.
    case write
    /// A put that a `.validate` does not allow.
    case validate
    case vote
    /// A vote in the name of somebody else.
    case voter
    case increment
    /// Judging it takes more steps than `Limits` allow.
    case cost
  }

  package let kind: Kind
  /// Where the change does what it may not.
  package let path: PathKey
  /// The rule, "/jokes/$joke/.validate": of several that could have allowed it, the one farthest down. Nil where there
  /// is none.
  package let location: String?
  /// Where that rule's expression is.
  package let place: RulePlace?

  package var line: Int? { place?.line }
  package var column: Int? { place?.column }
}

extension RuleRefusal: CustomStringConvertible {
  package var description: String {
    let target = "/\(path)"
    switch kind {
    case .write: return "the rules do not let it write at \(target): \(reason(or: "no .write on the way there"))"
    case .validate: return "the rules do not let it write at \(target): \(reason(or: "not valid"))"
    case .vote: return "the rules do not let it vote at \(target): \(reason(or: "no .vote or .write on the way there"))"
    case .voter: return "the rules do not let it vote at \(target): the voter is not who is signed in"
    case .increment:
      let absence = "no .increment on the way there, nor a .write that could stand for it"
      return "the rules do not let it increment at \(target): \(reason(or: absence))"
    case .cost: return "its rules cost too much to judge: \(reason(or: "no rule")), reached at \(target)"
    }
  }

  private func reason(or absence: String) -> String {
    guard let location, let place, let slash = location.lastIndex(of: "/") else { return absence }
    let node = slash == location.startIndex ? "/" : String(location[..<slash])
    let rule = "\(location[location.index(after: slash)...]) of \(node) (line \(place.line))"
    return kind == .cost ? rule : "\(rule) is false"
  }
}

/// What a person should know before setting rules.
package struct RuleWarning: Sendable, Equatable, CustomStringConvertible {
  /// "/jokes/$joke/.write".
  package let location: String
  package let place: RulePlace
  package let message: String

  package var line: Int { place.line }
  package var column: Int { place.column }

  package var description: String { "line \(place.line), column \(place.column): \(location) \(message)" }
}
