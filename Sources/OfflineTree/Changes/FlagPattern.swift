/// A path in which `*` stands for any key and `$voter` for a voter.
struct PathPattern: Sendable {
  enum Component: Sendable, Equatable {
    case literal(Key)
    case any
    case voter
  }

  let text: String
  let components: [Component]

  init(_ text: String) throws(TreeError) {
    self.text = text
    var components: [Component] = []
    for piece in text.split(separator: "/") {
      switch piece {
      case "*": components.append(.any)
      case "$voter": components.append(.voter)
      default: components.append(.literal(try Key(String(piece))))
      }
    }
    if components.isEmpty || components.count > Limits.pathLevels {
      throw TreeError(.invalidArgument, "\"\(text)\" is no pattern of a flag")
    }
    self.components = components
  }

  /// Does the pattern fit the first keys of `path`, as many as it has?
  func matches(atOrAbove path: PathKey) -> Bool {
    var start = 0
    for component in components {
      guard start < path.bytes.count else { return false }
      let end = path.componentEnd(from: start)
      if case .literal(let key) = component, path.key(in: start..<end) != key { return false }
      start = end
    }
    return true
  }

  func matches(_ path: PathKey) -> Bool { path.levels == components.count && matches(atOrAbove: path) }

  /// Can a path that fits one be at, above or below a path that fits the other?
  func overlaps(_ other: PathPattern) -> Bool {
    zip(components, other.components).allSatisfy { left, right in
      if case .literal(let first) = left, case .literal(let second) = right { return first == second }
      return true
    }
  }

  func overlaps(_ path: PathKey) -> Bool {
    (0..<min(path.levels, components.count)).allSatisfy { level in
      if case .literal(let key) = components[level] { path.key(at: level) == key } else { true }
    }
  }
}

/// A counter's pattern and the template of its voters' flags.
struct FlagPattern: Sendable {
  let counter: PathPattern
  let template: PathPattern

  init(_ flag: Genesis.Flag) throws(TreeError) {
    counter = try PathPattern(flag.counter)
    template = try PathPattern(flag.template)
    let stars = counter.components.count { $0 == .any }
    guard !counter.components.contains(.voter), template.components.count(where: { $0 == .voter }) == 1,
      template.components.count(where: { $0 == .any }) == stars
    else {
      throw TreeError(
        .invalidArgument, "the flag \(flag.template) does not fit its counter \(flag.counter)",
        advice: "Use each * of the counter once, and $voter once.")
    }
  }

  func path(counter path: PathKey, voter: Key) throws(TreeError) -> PathKey {
    var stars = keys(of: path, at: .any, in: counter).makeIterator()
    var keys: [Key] = []
    for component in template.components {
      switch component {
      case .literal(let key): keys.append(key)
      case .voter: keys.append(voter)
      case .any: keys.append(stars.next()!)
      }
    }
    return PathKey(try Path(keys))
  }

  /// Would the flag's path be within the limits? Builds nothing where the names are short.
  func isWithinLimits(counter path: PathKey, voter: Key) -> Bool {
    let bytes =
      path.textLength + path.levels + voter.text.utf8.count + template.text.utf8.count + template.components.count
    return bytes <= Limits.pathBytes || (try? self.path(counter: path, voter: voter)) != nil
  }

  /// The inverse of `path(counter:voter:)`, for a path that fits the template.
  func vote(flag path: PathKey) -> (counter: PathKey, voter: Key)? {
    var stars = keys(of: path, at: .any, in: template).makeIterator()
    guard let voter = keys(of: path, at: .voter, in: template).first else { return nil }
    var keys: [Key] = []
    for component in counter.components {
      if case .literal(let key) = component { keys.append(key) } else { keys.append(stars.next()!) }
    }
    guard let path = try? Path(keys) else { return nil }
    return (PathKey(path), voter)
  }

  private func keys(of path: PathKey, at wanted: PathPattern.Component, in pattern: PathPattern) -> [Key] {
    pattern.components.enumerated().compactMap { $0.element == wanted ? path.key(at: $0.offset) : nil }
  }
}
