/// One effect of a change, on one path. docs/merge.md in code: what each removes and adds is in `Replica+…` of the Tree.
package enum Operation: Equatable, Sendable {
  /// Removes what the change had seen at `path` and below.
  case clear(PathKey)
  /// Clears what was seen at and below the path and scalars above it; adds one version.
  case put(PathKey, Scalar)
  /// Adds a number to the counter at the path.
  case increment(PathKey, by: Scalar)
  /// One voter's absolute choice: -1, 0 or +1.
  case vote(PathKey, voter: Key, choice: Int8)
  /// The priority beside a node: null, a number or a string.
  case priority(PathKey, Scalar?)
  /// What a stored file is from now on; nil removes what the change had seen of it.
  case file(FileName, FileContent?)

  package var path: PathKey {
    switch self {
    case .clear(let path), .put(let path, _), .increment(let path, _), .vote(let path, _, _), .priority(let path, _):
      path
    case .file(let name, _): name.key
    }
  }

  /// The number of the kind in the format, which is also its place in normal form.
  package var kind: UInt8 {
    switch self {
    case .clear: 0x20
    case .put: 0x21
    case .increment: 0x22
    case .vote: 0x23
    case .priority: 0x24
    case .file: 0x25
    }
  }

  /// Is it about a file, and so not about the tree?
  package var isOfFile: Bool { if case .file = self { true } else { false } }

  /// Order in normal form: kind, path, voter.
  static func precedes(_ left: Operation, _ right: Operation) -> Bool {
    if left.kind != right.kind { return left.kind < right.kind }
    if left.path != right.path { return left.path < right.path }
    if case .vote(_, let first, _) = left, case .vote(_, let second, _) = right {
      return first.utf8.lexicographicallyPrecedes(second.utf8)
    }
    return false
  }
}
