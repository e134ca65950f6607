/// How queries are made of each other. No method throws: what is wrong with a query is thrown when it is used.
extension DatabaseQuery {
  func with(_ change: (inout QueryParameters) throws(TreeError) -> Void, hasOrder: Bool? = nil) -> DatabaseQuery {
    var location = location
    var parameters = parameters
    if location.invalid == nil {
      do throws(TreeError) {
        try change(&parameters)
        try parameters.check()
      } catch {
        location.invalid = error
      }
    }
    return DatabaseQuery(database, location, parameters, hasOrder: hasOrder ?? self.hasOrder)
  }

  // MARK: Order

  private func ordered(by order: QueryOrder, _ isDescending: Bool) -> DatabaseQuery {
    with(
      { (parameters) throws(TreeError) in
        if hasOrder { throw QueryParameters.twice("an order") }
        parameters.order = order
        parameters.isDescending = isDescending
      }, hasOrder: true)
  }

  /// By what stands at a path below each child: nothing, false, true, numbers, strings, objects; ties by key.
  ///
  /// With an index the cost grows with what is returned; without one every child is looked at, and a warning says so.
  public func queryOrdered(byChild path: String, descending: Bool = false) -> DatabaseQuery {
    do throws(TreeError) {
      let child = try Path(path)
      if child.isRoot { throw TreeError(.invalidArgument, "a query is ordered by a child without a name") }
      return ordered(by: .child(child), descending)
    } catch {
      return with { (_) throws(TreeError) in throw error }
    }
  }

  /// By key.
  public func queryOrderedByKey(descending: Bool = false) -> DatabaseQuery { ordered(by: .key, descending) }

  /// By the children's own values.
  public func queryOrderedByValue(descending: Bool = false) -> DatabaseQuery { ordered(by: .value, descending) }

  /// By priority; ties by key. What a reference is ordered by if nothing is said.
  public func queryOrderedByPriority(descending: Bool = false) -> DatabaseQuery { ordered(by: .priority, descending) }

  // MARK: Limits

  private func limited(to count: UInt, _ side: QueryLimit.Side) -> DatabaseQuery {
    with { (parameters) throws(TreeError) in
      if parameters.limit != nil { throw QueryParameters.twice("a limit") }
      guard (1...QueryParameters.limitRange).contains(count) else {
        throw TreeError(
          .invalidArgument, "a query is limited to \(count) children",
          advice: "Limit it to between 1 and \(QueryParameters.limitRange).")
      }
      parameters.limit = QueryLimit(Int(count), side)
    }
  }

  /// Only the first `count` children.
  public func queryLimited(toFirst count: UInt) -> DatabaseQuery { limited(to: count, .first) }

  /// Only the last `count` children, in the query's order all the same.
  public func queryLimited(toLast count: UInt) -> DatabaseQuery { limited(to: count, .last) }

  // MARK: Bounds

  /// From a value on, itself included, or from the child `childKey` among those of that value.
  public func queryStarting(atValue value: Any?, childKey: String? = nil) -> DatabaseQuery {
    bounded { (order) throws(TreeError) in (try QueryBound(value, childKey, order, isInclusive: true), nil) }
  }

  /// From behind a value, or from behind the child `childKey` among those of that value.
  public func queryStarting(afterValue value: Any?, childKey: String? = nil) -> DatabaseQuery {
    bounded { (order) throws(TreeError) in (try QueryBound(value, childKey, order, isInclusive: false), nil) }
  }

  /// Up to a value, itself included, or up to the child `childKey` among those of that value.
  public func queryEnding(atValue value: Any?, childKey: String? = nil) -> DatabaseQuery {
    bounded { (order) throws(TreeError) in (nil, try QueryBound(value, childKey, order, isInclusive: true)) }
  }

  /// Up to what is before a value, or before the child `childKey` among those of that value.
  public func queryEnding(beforeValue value: Any?, childKey: String? = nil) -> DatabaseQuery {
    bounded { (order) throws(TreeError) in (nil, try QueryBound(value, childKey, order, isInclusive: false)) }
  }

  /// Only children of that value, or of them the one whose key is `childKey`.
  public func queryEqual(toValue value: Any?, childKey: String? = nil) -> DatabaseQuery {
    bounded { (order) throws(TreeError) in
      let bound = try QueryBound(value, childKey, order, isInclusive: true)
      return (bound, bound)
    }
  }

  private func bounded(
    _ bounds: (QueryOrder) throws(TreeError) -> (start: QueryBound?, end: QueryBound?)
  ) -> DatabaseQuery {
    with { (parameters) throws(TreeError) in
      let (start, end) = try bounds(parameters.order)
      if let start {
        if parameters.start != nil { throw QueryParameters.twice("a start") }
        parameters.start = start
      }
      if let end {
        if parameters.end != nil { throw QueryParameters.twice("an end") }
        parameters.end = end
      }
    }
  }
}

extension QueryBound {
  /// - Throws: `invalidArgument` for a value that nothing is ordered by, or a key that cannot be one.
  init(_ value: Any?, _ childKey: String?, _ order: QueryOrder, isInclusive: Bool) throws(TreeError) {
    let given = try QueryBound.value(value)
    guard order == .key else {
      self.init(
        value: given, key: try childKey.map { text throws(TreeError) in try Key(text) }, isInclusive: isInclusive)
      return
    }
    guard case .scalar(.string(let text)) = given, childKey == nil else {
      throw TreeError(
        .invalidArgument, "a query that is ordered by key begins and ends at keys",
        advice: "Give one text, which is a key, and no childKey.")
    }
    self.init(value: .null, key: try Key(text), isInclusive: isInclusive)
  }

  private static func value(_ value: Any?) throws(TreeError) -> IndexValue {
    let new = try NewValue(any: value)
    switch new.content {
    case .null: return .null
    case .scalar(let scalar) where new.priority == nil: return .scalar(try scalar.normalized())
    default:
      throw TreeError(
        .invalidArgument, "a query begins or ends at a value that nothing is ordered by",
        advice: "Give a boolean, a number, a string or nil.")
    }
  }
}

extension QueryParameters {
  static let limitRange: UInt = 1 << 31 - 1

  static func twice(_ what: String) -> TreeError {
    TreeError(.invalidArgument, "a query has \(what) already", advice: "Make the query with one of each.")
  }

  /// - Throws: `invalidArgument` for bounds that do not go with the order, such as one that was given before it.
  func check() throws(TreeError) {
    for bound in [start, end].compactMap({ $0 }) {
      switch (order, bound.value) {
      case (.key, .null) where bound.key != nil: continue
      case (.key, _):
        throw TreeError(.invalidArgument, "a query that is ordered by key begins and ends at keys")
      case (.priority, .scalar(.bool)), (.priority, .object):
        throw TreeError(.invalidArgument, "a priority is a number, a string or nothing")
      default: continue
      }
    }
  }
}
