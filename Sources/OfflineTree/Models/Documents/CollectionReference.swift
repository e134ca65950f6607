/// A node, seen as a collection: its children are documents.
public struct CollectionReference: Sendable, Hashable, CollectionQuerying {
  /// The node.
  public let reference: DatabaseReference

  public init(_ reference: DatabaseReference) { self.reference = reference }

  public var collectionID: String { reference.key ?? "" }
  public var path: String { reference.path.description }
  /// The document that the collection is in; nil at the root.
  public var parent: DocumentReference? { reference.parent.map(DocumentReference.init) }
  public var query: CollectionQuery { CollectionQuery(self) }

  public func document(_ path: String) -> DocumentReference { DocumentReference(reference.child(path)) }

  /// A document under a new key, which sorts after those that this device made before.
  public func document() -> DocumentReference { DocumentReference(reference.childByAutoId()) }

  /// Adds a document under a new key; returns when that is durable.
  /// - Throws: `invalidArgument` for what cannot be stored, `refused` where nothing may be added.
  @discardableResult
  public func addDocument(data: [String: Any]) async throws -> DocumentReference {
    let document = document()
    try await document.setData(data)
    return document
  }

  /// The same for a value of an `Encodable` type.
  @discardableResult
  public func addDocument<T: Encodable>(
    from value: T, encoder: TreeEncoder = TreeEncoder()
  ) async throws -> DocumentReference {
    let document = document()
    try await document.setData(from: value, encoder: encoder)
    return document
  }

  /// Adds a document under a new key, returns at once, and tells `completion` of the outcome.
  @discardableResult
  public func addDocument(data: [String: Any], completion: DocumentReference.Completion? = nil) -> DocumentReference {
    let document = document()
    document.setData(data, completion: completion)
    return document
  }
}
