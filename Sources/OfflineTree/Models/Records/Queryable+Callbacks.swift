/// The same for programs without `async`: blocks are called on `Database.callbackQueue`.
extension Queryable {
  public typealias Completion<Answer> = @Sendable (Result<Answer, any Error>) -> Void

  public static func all(in database: Database, completion: @escaping Completion<[Self]>) {
    let query = reference(in: database).queryOrderedByKey()
    database.readAside(completion) { transaction in try models(of: query, transaction) }
  }

  public static func top(_ limit: UInt, in database: Database, completion: @escaping Completion<[Self]>) {
    let query = reference(in: database).queryOrderedByKey().queryLimited(toFirst: limit)
    database.readAside(completion) { transaction in try models(of: query, transaction) }
  }

  public static func `where`<Property: Encodable>(
    _ property: KeyPath<Self, Property>, equals value: Property, limit: UInt = 1_000, in database: Database,
    completion: @escaping Completion<[Self]>
  ) {
    let made = Result { try query(property, equals: value, limit: limit, in: database) }
    database.readAside(completion) { transaction in try models(of: try made.get(), transaction) }
  }

  public static func topWhere<Property: Encodable>(
    _ property: KeyPath<Self, Property>, equals value: Property, in database: Database,
    completion: @escaping Completion<Self?>
  ) {
    let made = Result { try query(property, equals: value, limit: 1, in: database) }
    database.readAside(completion) { transaction in try models(of: try made.get(), transaction).first }
  }

  public static func from(key: String, in database: Database, completion: @escaping Completion<Self?>) {
    let reference = reference(in: database).child(key)
    database.readAside(completion) { transaction in try model(at: reference, transaction) }
  }

  /// The model anew, from its place in the collection: for one of which only the key is known.
  public func getExternal(completion: @escaping Completion<Self>) {
    let place = Result { () throws -> DatabaseReference in
      Self.reference(in: try requireReference().database).child(key ?? "")
    }
    switch place {
    case .success(let place):
      place.database.readAside(completion) { transaction in
        if let model = try Self.model(at: place, transaction) { return model }
        throw TreeError(.notFound, "there is no \(Self.self) at \(place.path)")
      }
    case .failure(let error): completion(.failure(error))
    }
  }
}
