/// Models that are the children of one node, and can be read from there.
public protocol Queryable: TreeModel {
  /// The path of the node whose children the models are, such as "jokes".
  static var collection: String { get }

  /// Called for a child that is not such a model, when several are read: throws the error unless the type does it
  /// otherwise. Where it returns, the child is left out.
  static func unreadable(key: String, _ error: any Error) throws
}

extension Queryable {
  public static func unreadable(key: String, _ error: any Error) throws { throw error }

  /// The node whose children the models are.
  public static func reference(in database: Database) -> DatabaseReference {
    database.reference(withPath: collection)
  }

  // MARK: Several

  /// All models, in key order: of push ids, the oldest first.
  /// - Throws: `DecodingError` for a child that is no such model, with its path; see `unreadable(key:_:)`.
  /// - Complexity: O(models).
  public static func all(in database: Database) async throws -> [Self] {
    try await models(in: reference(in: database).queryOrderedByKey())
  }

  /// The first models in key order.
  public static func top(_ limit: UInt, in database: Database) async throws -> [Self] {
    try await models(in: reference(in: database).queryOrderedByKey().queryLimited(toFirst: limit))
  }

  /// The first models in the order of a property, or the last ones from the last down.
  ///
  /// - Complexity: O(`limit` · log n) with an index for the property, else O(models).
  public static func top<Property: Encodable>(
    _ limit: UInt, by property: KeyPath<Self, Property>, descending: Bool = false, in database: Database
  ) async throws -> [Self] {
    let query = reference(in: database).queryOrdered(byChild: try childName(of: property), descending: descending)
    return try await models(in: query.queryLimited(toFirst: limit))
  }

  /// The models with that value of a property, in key order.
  ///
  /// - Parameter value: A boolean, a number, a string, or what is one of these in the tree; nil finds those without.
  /// - Throws: `invalidArgument` for a property whose name cannot be found out, or a value that nothing is ordered by.
  /// - Complexity: O(found · log n) with an index for the property, else O(models).
  public static func `where`<Property: Encodable>(
    _ property: KeyPath<Self, Property>, equals value: Property, limit: UInt = 1_000, in database: Database
  ) async throws -> [Self] {
    try await models(in: try query(property, equals: value, limit: limit, in: database))
  }

  /// The first model with that value of a property; nil if there is none.
  public static func topWhere<Property: Encodable>(
    _ property: KeyPath<Self, Property>, equals value: Property, in database: Database
  ) async throws -> Self? {
    try await models(in: try query(property, equals: value, limit: 1, in: database)).first
  }

  /// The models that a query finds, in its order.
  public static func models(in query: DatabaseQuery) async throws -> [Self] {
    try await query.database.readAside { transaction in try models(of: query, transaction) }
  }

  /// The models that are the children of a snapshot, in its order.
  public static func models(from snapshot: DataSnapshot) throws -> [Self] {
    try snapshot.children.compactMap { child in try one(child.key) { try child.data(as: Self.self, decoder: decoder) } }
  }

  /// The models that a query finds, and again whenever one of them changes, comes or goes. A slow reader gets the newest
  /// and misses those between.
  public static func updates(of query: DatabaseQuery) -> AsyncThrowingMapSequence<DataSnapshots, [Self]> {
    query.snapshots.map { snapshot throws in try models(from: snapshot) }
  }

  // MARK: One

  /// The model with that key; nil if there is none.
  public static func from(key: String, in database: Database) async throws -> Self? {
    let reference = reference(in: database).child(key)
    return try await database.readAside { transaction in try model(at: reference, transaction) }
  }

  /// Reads the model anew from its place in the collection: for one of which only the key is known, from a map of links.
  /// - Throws: `notFound` if it is not there.
  public mutating func getExternal() async throws {
    let reference = try requireReference()
    guard let key, let model = try await Self.from(key: key, in: reference.database) else {
      throw TreeError(.notFound, "there is no \(Self.self) at \(Self.collection)/\(key ?? "")")
    }
    self = model
  }
}

extension Queryable {
  static func query<Property: Encodable>(
    _ property: KeyPath<Self, Property>, equals value: Property, limit: UInt, in database: Database
  ) throws -> DatabaseQuery {
    let name = try childName(of: property)
    let new = try encoder.encode(value, at: try Path(name))
    return reference(in: database).queryOrdered(byChild: name).queryEqual(toValue: new).queryLimited(toFirst: limit)
  }

  /// Reads only what the type asks for.
  static func models(of query: DatabaseQuery, _ transaction: ReadTransaction) throws -> [Self] {
    try query.entries(transaction).compactMap { entry in
      try one(entry.key.text) { try read(TreeNode.rows(transaction, entry.path), query.database, entry.path.path) }
    }
  }

  static func model(at reference: DatabaseReference, _ transaction: ReadTransaction) throws -> Self? {
    try reference.requireValid()
    let node = TreeNode.rows(transaction, PathKey(reference.path))
    return try node.exists() ? read(node, reference.database, reference.path) : nil
  }

  private static func read(_ node: TreeNode, _ database: Database, _ path: Path) throws -> Self {
    var model = try decoder.decode(Self.self, from: node, place: NodePlace(database: database, path: path))
    // A type with coding keys of its own may have left it out.
    model.node = ModelNode(database.reference(withPath: path.description))
    return model
  }

  private static func one(_ key: String, _ read: () throws -> Self) throws -> Self? {
    do {
      return try read()
    } catch let error as DecodingError {
      try unreadable(key: key, error)
      return nil
    }
  }
}

extension DatabaseQuery {
  /// What the query finds, in its order.
  func entries(_ transaction: ReadTransaction) throws -> [QueryEntry] {
    try requireValid()
    let node = PathKey(path)
    return try transaction.withRows(touching: node) { rows, replica in
      let replica = try replica ?? transaction.replica()
      return try window(rows, replica)?.entries ?? QueryEngine.window(parameters, at: node, rows, replica).entries
    }
  }
}
