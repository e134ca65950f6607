/// A node, seen as a document: an object with fields.
///
/// Documents are a view of the same tree: `database.document("users/ada")` is `database.reference(withPath: "users/ada")`,
/// and a collection inside a document is a field of it. So a document's data holds its collections, and `setData` without
/// `merge` replaces them.
public struct DocumentReference: Sendable, Hashable {
  /// The node.
  public let reference: DatabaseReference

  public init(_ reference: DatabaseReference) { self.reference = reference }

  /// The last key of the path; empty at the root.
  public var documentID: String { reference.key ?? "" }
  public var path: String { reference.path.description }
  /// The collection that the document is in; nil at the root.
  public var parent: CollectionReference? { reference.parent.map(CollectionReference.init) }

  public func collection(_ path: String) -> CollectionReference { CollectionReference(reference.child(path)) }

  // MARK: Writing

  /// Writes a document: in place of what is there, or with `merge` only the fields that it names.
  ///
  /// - Parameter data: What `setValue` takes, `FieldValue` and `Timestamp`. With `merge`, a dictionary goes into the one
  ///   that is there.
  /// - Throws: `invalidArgument` for what cannot be stored, `refused` where it may not be written.
  public func setData(_ data: [String: Any], merge: Bool = false) async throws {
    if !merge {
      _ = try await reference.setValue(data)
      return
    }
    try await perform(try DocumentWrite.merge(data))
  }

  /// The same for a value of an `Encodable` type.
  /// - Throws: `EncodingError` for what a tree cannot hold.
  public func setData<T: Encodable>(from value: T, merge: Bool = false, encoder: TreeEncoder = TreeEncoder())
    async throws
  {
    let new = try encoder.encode(value, at: reference.path)
    if !merge {
      _ = try await reference.setValue(new)
      return
    }
    try await perform(DocumentWrite.merge(new))
  }

  /// Replaces some fields of a document that exists: by name, or by names with dots between them.
  /// - Throws: `notFound` if there is no document, `invalidArgument` for what cannot be stored.
  public func updateData(_ fields: [String: Any]) async throws {
    try await perform(try DocumentWrite.update(fields), mustExist: true)
  }

  /// Removes the document, with the collections inside it.
  public func delete() async throws { try await reference.removeValue() }

  private func perform(_ write: DocumentWrite, mustExist: Bool = false) async throws {
    try reference.requireWritable()
    try await reference.perform { try perform(write, mustExist: mustExist, $0) }
  }

  func perform(_ write: DocumentWrite, mustExist: Bool, _ transaction: WriteTransaction) throws {
    if mustExist, try !transaction.exists(at: reference.path) {
      throw TreeError(.notFound, "there is no document \(path)", advice: "Make it with setData.")
    }
    try transaction.bindIfNew(reference.location.binding)
    try write.perform(at: reference.path, transaction)
  }

  // MARK: Reading

  /// The document now.
  public func getDocument() async throws -> DocumentSnapshot {
    let reference = reference
    return try await reference.database.aside { DocumentSnapshot(try reference.snapshot()) }
  }

  /// The document as a value of that type.
  /// - Throws: `notFound` if there is none, `DecodingError` if it is another one.
  public func getDocument<T: Decodable & Sendable>(as type: T.Type, decoder: TreeDecoder = TreeDecoder()) async throws
    -> T
  {
    let reference = reference
    return try await reference.database.readAside { transaction in
      try reference.requireValid()
      let node = TreeNode.rows(transaction, PathKey(reference.path))
      guard try node.exists() else { throw TreeError(.notFound, "there is no document \(reference.path)") }
      return try decoder.decode(type, from: node, place: NodePlace(database: reference.database, path: reference.path))
    }
  }
}

extension Database {
  public func collection(_ path: String) -> CollectionReference { CollectionReference(reference(withPath: path)) }
  public func document(_ path: String) -> DocumentReference { DocumentReference(reference(withPath: path)) }
}
