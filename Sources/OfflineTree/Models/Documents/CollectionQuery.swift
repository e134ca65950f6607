/// Documents of a collection, in an order and under conditions.
///
/// One field is looked for by the tree's query, with an index for it if there is one; conditions on further fields are
/// tried on what that finds. So give the most telling condition an index.
public struct CollectionQuery: Sendable, Hashable {
  public let collection: CollectionReference
  var conditions: [FieldCondition] = []
  var orders: [Order] = []
  var limit: QueryLimit?
  /// What is wrong with the query: thrown when it is read.
  var invalid: TreeError?

  struct Order: Sendable, Hashable {
    let field: Path
    let isDescending: Bool
  }

  init(_ collection: CollectionReference) { self.collection = collection }

  fileprivate func with(_ change: (inout CollectionQuery) throws(TreeError) -> Void) -> CollectionQuery {
    var query = self
    do throws(TreeError) {
      try change(&query)
    } catch {
      query.invalid = query.invalid ?? error
    }
    return query
  }

  public static func == (left: CollectionQuery, right: CollectionQuery) -> Bool {
    left.collection == right.collection && left.conditions == right.conditions && left.orders == right.orders
      && left.limit == right.limit && left.invalid == right.invalid
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(collection)
    hasher.combine(conditions)
  }
}

/// What a collection and a query of one have in common.
public protocol CollectionQuerying: Sendable {
  var query: CollectionQuery { get }
}

extension CollectionQuery: CollectionQuerying {
  public var query: CollectionQuery { self }
}

/// Fields are named by their keys, with dots between them; values are booleans, numbers and strings. A comparison finds
/// only values of its own kind. No method throws: what is wrong with a query is thrown when it is read.
extension CollectionQuerying {
  /// Documents in which a field is equal; nil finds those without it.
  public func whereField(_ field: String, isEqualTo value: Any?) -> CollectionQuery { adding(field, .equal, value) }
  /// Documents that have the field, with another value.
  public func whereField(_ field: String, isNotEqualTo value: Any?) -> CollectionQuery {
    adding(field, .notEqual, value)
  }
  public func whereField(_ field: String, isLessThan value: Any) -> CollectionQuery { adding(field, .less, value) }
  public func whereField(_ field: String, isLessThanOrEqualTo value: Any) -> CollectionQuery {
    adding(field, .lessOrEqual, value)
  }
  public func whereField(_ field: String, isGreaterThan value: Any) -> CollectionQuery {
    adding(field, .greater, value)
  }
  public func whereField(_ field: String, isGreaterThanOrEqualTo value: Any) -> CollectionQuery {
    adding(field, .greaterOrEqual, value)
  }

  /// Documents in which a field is one of those values.
  public func whereField(_ field: String, in values: [Any]) -> CollectionQuery {
    query.with { (query) throws(TreeError) in
      let wanted = try values.map { value throws(TreeError) in try FieldCondition.value(value) }
      query.conditions.append(FieldCondition(field: try FieldPath.path(field), test: .isIn(wanted)))
    }
  }

  /// Documents in which a field is an array with that element.
  public func whereField(_ field: String, arrayContains value: Any) -> CollectionQuery {
    query.with { (query) throws(TreeError) in
      let element = try FieldCondition.value(value)
      query.conditions.append(FieldCondition(field: try FieldPath.path(field), test: .contains(element)))
    }
  }

  private func adding(_ field: String, _ comparison: FieldCondition.Operator, _ value: Any?) -> CollectionQuery {
    query.with { (query) throws(TreeError) in
      let test = FieldCondition.Test.compare(comparison, try FieldCondition.value(value))
      query.conditions.append(FieldCondition(field: try FieldPath.path(field), test: test))
    }
  }

  /// In the order of a field, documents without it left out; further orders break ties, and then keys.
  public func order(by field: String, descending: Bool = false) -> CollectionQuery {
    query.with { (query) throws(TreeError) in
      query.orders.append(CollectionQuery.Order(field: try FieldPath.path(field), isDescending: descending))
    }
  }

  /// Only the first documents.
  public func limit(to count: Int) -> CollectionQuery { limited(count, .first) }

  /// Only the last documents, in the query's order all the same.
  public func limit(toLast count: Int) -> CollectionQuery { limited(count, .last) }

  private func limited(_ count: Int, _ side: QueryLimit.Side) -> CollectionQuery {
    query.with { (query) throws(TreeError) in
      guard count > 0 else { throw TreeError(.invalidArgument, "a query is limited to \(count) documents") }
      query.limit = QueryLimit(count, side)
    }
  }

  // MARK: Reading

  /// The documents now, in one consistent view.
  /// - Throws: What is wrong with the query, or keeps it from being read.
  /// - Complexity: With an index for the field that is looked for, and a limit, and no condition on another field:
  ///   O(found · log n). Else O(documents of that field's condition), or O(documents).
  public func getDocuments() async throws -> QuerySnapshot {
    let query = query
    return try await query.database.aside { try query.snapshot() }
  }

  /// The same for programs without `async`: the block is called on `Database.callbackQueue`.
  public func getDocuments(completion: @escaping @Sendable (QuerySnapshot?, (any Error)?) -> Void) {
    let query = query
    let answer: @Sendable (Result<QuerySnapshot, any Error>) -> Void = { result in
      switch result {
      case .success(let documents): completion(documents, nil)
      case .failure(let error): completion(nil, error)
      }
    }
    query.database.aside(answer) { try query.snapshot() }
  }
}

extension CollectionQuery {
  var database: Database { collection.reference.database }
}
