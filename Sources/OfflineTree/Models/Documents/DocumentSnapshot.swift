/// One consistent view of a document, decoded when it is asked.
public struct DocumentSnapshot: Sendable {
  /// The node.
  public let snapshot: DataSnapshot

  package init(_ snapshot: DataSnapshot) { self.snapshot = snapshot }

  public var reference: DocumentReference { DocumentReference(snapshot.ref) }
  public var documentID: String { snapshot.key }

  /// Whether there is a document.
  /// - Throws: `unavailable` for a snapshot that is too old, as every accessor.
  public var exists: Bool { get throws { try snapshot.exists() } }

  /// The fields; nil where there is no document.
  /// - Throws: Also `invalidArgument` for a node that is no object.
  public func data() throws -> [String: Any]? {
    let value = try snapshot.get()
    switch value {
    case .null: return nil
    case .object(let object): return Value.dictionary(object.members.map { ($0.key, $0.value.any) })
    default:
      throw TreeError(
        .invalidArgument, "\(reference.path) is \(value.scalar?.text ?? "no object"), and no document",
        advice: "Read it with a DatabaseReference.")
    }
  }

  /// A field, by its name or by names with dots between them; nil where there is none.
  public func get(_ field: String) throws -> Any? {
    try snapshot.childSnapshot(forPath: try FieldPath.path(field).description).value
  }

  /// The document as a value of that type.
  /// - Throws: `DecodingError` if it is another one.
  public func data<T: Decodable>(as type: T.Type, decoder: TreeDecoder = TreeDecoder()) throws -> T {
    try snapshot.data(as: type, decoder: decoder)
  }
}

/// The documents that a query found, in its order: one consistent view.
public struct QuerySnapshot: Sendable {
  public let documents: [DocumentSnapshot]

  public var isEmpty: Bool { documents.isEmpty }
  public var count: Int { documents.count }
}
