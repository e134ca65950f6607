/// An index of this home, and how far it is.
public struct IndexStatus: Sendable, Equatable {
  /// The nodes whose children it orders, "*" standing for any key: "jokes", "users/*/jokes".
  public let parent: String
  /// What orders them: a path below each child, or ".value".
  public let child: String
  /// Whether queries use it. Until then they look at every child.
  public let isReady: Bool
  /// How many children were indexed when it was built, so far.
  public let indexedChildren: UInt64
  /// Whether the space's rules ask for it (`.indexOn`), so that it stays whatever the app does.
  public let isFromRules: Bool
}

/// Indexes: what makes the cost of an ordered query grow with what it returns, not with what is there.
///
/// They are of this home alone. Those that the space's rules name with `.indexOn` come and go with the rules; an app can
/// add more. They are built in the background and kept up by every write from then on.
extension Database {
  /// Lets this home keep an index of a node's children, from now on. Does nothing if it does so already.
  ///
  /// Returns when that is noted; `indexes()` tells how far it is.
  /// - Parameters:
  ///   - parent: The node, such as "jokes". A key that begins with "$" stands for any: "users/$user/jokes".
  ///   - child: What orders the children: a path such as "votes", or ".value" for their own values.
  /// - Throws: `invalidArgument` for what is no path.
  public func addIndex(at parent: String, by child: String) throws {
    let (pattern, path) = (try IndexPattern(parent), try Database.indexedPath(child))
    try queue.submit { rows, state in
      state.request(pattern, path, .app)
      try state.storeIndexes(rows)
    }
  }

  /// Ends what `addIndex` began. An index that the rules ask for stays.
  /// - Throws: `notFound` if no app has added it.
  public func removeIndex(at parent: String, by child: String) throws {
    let (pattern, path) = (try IndexPattern(parent), try Database.indexedPath(child))
    try queue.submit { rows, state in
      let place = state.indexes.definitions.firstIndex {
        $0.pattern == pattern && $0.child == path && $0.origin.contains(.app) && $0.state != .dropping
      }
      guard let place else {
        throw TreeError(
          .notFound, "no index of \(parent) by \(child) was added", advice: "indexes() lists those that there are.")
      }
      state.release(place, .app)
      try state.storeIndexes(rows)
    }
  }

  /// Makes all indexes anew, in the background: for a home in which `verify` has found something wrong with them.
  public func rebuildIndexes() throws {
    try queue.submit { rows, state in
      for place in state.indexes.definitions.indices where state.indexes.definitions[place].state != .dropping {
        state.restartIndex(place)
      }
      try state.storeIndexes(rows)
    }
  }

  /// The indexes of this home.
  public func indexes() throws -> [IndexStatus] {
    try view { _, replica in
      replica.indexes.definitions.filter { $0.state != .dropping }.map { definition in
        IndexStatus(
          parent: definition.pattern.description,
          child: definition.child.isRoot ? ".value" : definition.child.description,
          isReady: definition.state == .ready, indexedChildren: definition.built,
          isFromRules: definition.origin.contains(.rules))
      }
    }
  }

  private static func indexedPath(_ text: String) throws(TreeError) -> Path {
    if text.utf8.elementsEqual(".value".utf8) { return .root }
    let path = try Path(text)
    if path.isRoot { throw TreeError(.invalidArgument, "an index needs a child to order by", advice: "Or \".value\".") }
    return path
  }
}
