/// Pages without offsets: each begins where the one before ended, whatever was written meanwhile.
///
/// ```swift
/// let query = jokes.queryOrdered(byChild: "votes", descending: true).queryLimited(toFirst: 20)
/// let next = query.query(after: lastJokeOfThePage)
/// ```
extension DatabaseQuery {
  /// The same query from behind a child on: the next page. The start that the query has gives way.
  ///
  /// The place is the one that the child had in the snapshot. A snapshot that cannot be read any more makes a query that
  /// throws that when it is used.
  public func query(after child: DataSnapshot) -> DatabaseQuery {
    with { (parameters) throws(TreeError) in
      parameters.start = try bound(at: child)
    }
  }

  /// The same query up to what is before a child: with a limit to the last ones, the page before.
  public func query(before child: DataSnapshot) -> DatabaseQuery {
    with { (parameters) throws(TreeError) in
      parameters.end = try bound(at: child)
    }
  }

  private func bound(at child: DataSnapshot) throws(TreeError) -> QueryBound {
    guard let key = child.ref.path.key, child.ref.path.parent == path else {
      throw TreeError(
        .invalidArgument, "a page of /\(path) goes on from one of its children, and /\(child.ref.path) is none")
    }
    return QueryBound(value: try child.indexValue(by: parameters.order), key: key, isInclusive: false)
  }
}

extension DataSnapshot {
  /// What a query orders the node by among its siblings.
  package func indexValue(by order: QueryOrder) throws(TreeError) -> IndexValue {
    switch order {
    case .key: return .null
    case .priority: return IndexValue(try source.priority(at: node))
    case .value: return try indexValue(at: node)
    case .child(let path): return try indexValue(at: node.appending(path))
    }
  }

  private func indexValue(at path: PathKey) throws(TreeError) -> IndexValue {
    if let scalar = try source.scalar(at: path) { return .scalar(scalar) }
    return try source.exists(at: path) ? .object : .null
  }
}
