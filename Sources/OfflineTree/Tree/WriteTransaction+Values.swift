/// How a value becomes operations.
extension WriteTransaction {
  /// Sets values one after another, as one write: only what was there before the closure began is protected.
  func update(_ values: [(PathKey, NewValue)]) throws {
    for (path, value) in values { try set(path, value) }
  }

  private func set(_ path: PathKey, _ value: NewValue) throws {
    if let vote = state.declarations.vote(flag: path) { return try setFlag(path, vote, value) }
    var leaves = NewLeaves(wallTime: wallTime)
    try leaves.collect(value, at: path)
    // Also in an add-only element, where nothing can be set but numbers count.
    if leaves.isOneIncrement(at: path) { return try increment(path, by: NewValue(content: value.content)) }
    try checkWritable(path, elements: leaves.paths)
    if leaves.isOnePut(at: path) {
      form.append(.put(path, leaves.puts[0].1))
    } else if leaves.increments.isEmpty {
      form.append(.clear(path))
      for (path, scalar) in leaves.puts { form.append(.put(path, scalar)) }
    } else {
      try setAround(leaves, at: path)
    }
    for (path, value) in leaves.priorities {
      if case .increment(let number) = value {
        let old = try priority(at: path.path)
        form.append(.priority(path, old?.isNumber == true ? ExactSum(number).rounded(adding: old) : number))
      } else {
        form.append(.priority(path, leaves.resolve(value)))
      }
    }
  }

  /// A set with increments inside: clears what is beside them, so that they add to what is there.
  private func setAround(_ leaves: NewLeaves, at path: PathKey) throws {
    let kept = Set(leaves.increments.map(\.0))
    var above: Set<PathKey> = []
    for path in kept { above.formUnion(path.ancestors) }
    try clearSiblings(path, kept: kept, above: above)
    for (path, scalar) in leaves.puts { form.append(.put(path, scalar)) }
    for (path, number) in leaves.increments { try increment(path, by: NewValue(content: .increment(number))) }
  }

  private func clearSiblings(_ path: PathKey, kept: Set<PathKey>, above: Set<PathKey>) throws {
    if kept.contains(path) { return }
    guard above.contains(path) else { return form.append(.clear(path)) }
    for key in try keys(at: path.path) { try clearSiblings(try path.child(key), kept: kept, above: above) }
  }

  private func setFlag(_ path: PathKey, _ vote: (counter: PathKey, voter: Key), _ value: NewValue) throws {
    guard let user, user == vote.voter else {
      throw TreeError(
        .refused, "\(path) shows the vote of \(vote.voter), and only \(vote.voter) can change it",
        advice: "Vote as the user who is logged in.")
    }
    switch value.content {
    case .null: try self.vote(vote.counter.path, voter: user, choice: 0)
    case .scalar(.bool(true)): try self.vote(vote.counter.path, voter: user, choice: 1)
    default:
      throw TreeError(.refused, "\(path) can only be true or null", advice: "Write true to vote, null to take it back.")
    }
  }
}
