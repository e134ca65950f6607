extension DataSnapshot {
  /// The node as a value of that type. Only what the type asks for is read; of a query's answer, the children that it
  /// found are there, and an array of models has them in the query's order.
  ///
  /// What is absent is nil, or an empty array, dictionary or object, whichever the type asks for.
  /// - Throws: `DecodingError` where the tree holds something else, with the path and both kinds in its description;
  ///   `unavailable` for a snapshot that is too old.
  public func data<T: Decodable>(as type: T.Type, decoder: TreeDecoder = TreeDecoder()) throws -> T {
    try decoder.decode(type, from: treeNode, place: NodePlace(database: ref.database, path: ref.path))
  }

  private var treeNode: TreeNode {
    guard let window else { return .snapshot(source, node) }
    return .answer(QueryAnswer(source, node, window.entries.map(\.path)))
  }
}

/// Writes of `Encodable` values: as `setValue(_:)`, which see.
extension DatabaseReference {
  /// Puts a value in place of everything that is there; returns when that is durable.
  /// - Throws: `EncodingError` for what a tree cannot hold, with the path in its description.
  @discardableResult
  public func setValue<T: Encodable>(
    from value: T, encoder: TreeEncoder = TreeEncoder()
  ) async throws -> DatabaseReference {
    try await setValue(try encoder.encode(value, at: path))
  }

  /// Puts a value in place of everything that is there, returns at once, and tells `completion` of the outcome.
  /// - Throws: `EncodingError`, before anything is written.
  public func setValue<T: Encodable>(
    from value: T, encoder: TreeEncoder = TreeEncoder(), completion: @escaping Completion
  ) throws {
    setValue(try encoder.encode(value, at: path), withCompletionBlock: completion)
  }
}
