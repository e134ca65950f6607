/// Models that can be added to their collection.
public protocol Insertable: TreeModel {
  /// The path of the node that gets the new child, such as "jokes".
  static var collection: String { get }
}

extension Insertable {
  /// Adds a model under a new key, which sorts after those that this device made before, and returns it with its place.
  ///
  /// One change, durable when it returns. Times that the write fills in are nil until the model is read.
  /// - Throws: `EncodingError` for what a tree cannot hold, `refused` where nothing may be added.
  public static func insert(_ model: Self, in database: Database) async throws -> Self {
    let path = try Path(collection)
    let value = try encoder.encode(model, at: path)
    var inserted = model
    inserted.node = ModelNode(try await database.push(value, to: path))
    return inserted
  }

  /// Adds a child of the collection that is made of a dictionary, and returns it as a model.
  /// - Throws: Also `DecodingError` if it is none: then nothing is added.
  public static func insert(data: [String: Any], in database: Database) async throws -> Self {
    let path = try Path(collection)
    let value = try NewValue(any: data)
    let user = try database.actingUser?()
    return try await database.write(as: user) { transaction in
      let child = try path.child(try transaction.push(value, to: path))
      return try decoder.decode(
        Self.self, from: .rows(transaction, PathKey(child)), place: NodePlace(database: database, path: child))
    }
  }
}

extension Insertable {
  /// Adds a child of the collection that is made of a dictionary, and calls `completion` on `Database.callbackQueue`
  /// with it as a model.
  public static func insert(
    data: [String: Any], in database: Database, completion: (@Sendable (Result<Self, any Error>) -> Void)? = nil
  ) {
    let place = database.reference(withPath: collection).childByAutoId()
    place.setValue(data) { error, place in
      // Where nobody asked, nobody but `failures` is told.
      guard let completion else {
        if let error { database.failures(error, place.path) }
        return
      }
      if let error { return completion(.failure(error)) }
      completion(Result { try place.snapshot().data(as: Self.self, decoder: decoder) })
    }
  }
}

/// Models that can be removed.
public protocol Deletable: TreeModel {}

extension Deletable {
  /// Removes the node that the model was read from, with all that is below it.
  /// - Throws: `invalidArgument` for a model that was not read, `refused` where it may not be removed.
  public func delete() async throws { try await requireReference().removeValue() }

  /// The same for programs without `async`.
  public func delete(completion: @escaping @Sendable ((any Error)?) -> Void) {
    do {
      try requireReference().removeValue { error, _ in completion(error) }
    } catch {
      completion(error)
    }
  }
}

/// Models with a file beside them, in the database's storage.
public protocol StorageDownloadable: TreeModel {
  /// The name of the file in the storage; nil where there is none.
  var location: String? { get }
}

extension StorageDownloadable {
  /// - Throws: `notFound` for a model without a file, `invalidArgument` for one that was not read.
  package func requireFile() throws(TreeError) -> (database: Database, name: String) {
    let reference = try requireReference()
    guard let location else {
      throw TreeError(
        .notFound, "the \(Self.self) \(reference.path) has no file", advice: "Store one, and set its location.")
    }
    return (reference.database, location)
  }
}

extension Database {
  /// Adds a child as whoever is logged in.
  func push(_ value: NewValue, to path: Path) async throws -> DatabaseReference {
    let user = try actingUser?()
    let key = try await write(as: user) { transaction in try transaction.push(value, to: path) }
    return reference(withPath: path.description).child(key.text)
  }
}
