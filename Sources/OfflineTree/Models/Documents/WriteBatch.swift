/// Writes of several documents, which are made as one change, or not at all.
///
/// ```swift
/// try await database.batch()
///   .setData(["name": "Rome"], forDocument: rome)
///   .updateData(["people": FieldValue.increment(1)], forDocument: paris)
///   .deleteDocument(atlantis)
///   .commit()
/// ```
/// They take effect in the order in which they were added, each on what those before it made. No method but `commit`
/// fails: what is wrong with a write is thrown there, and then nothing is written. May be used from any thread.
public final class WriteBatch: Sendable {
  private struct State {
    var writes: [(document: DocumentReference, write: DocumentWrite, mustExist: Bool)] = []
    var invalid: TreeError?
    var isCommitted = false
  }

  private let database: Database
  private let state = Monitor(State())

  init(_ database: Database) { self.database = database }

  /// Adds what `DocumentReference.setData(_:merge:)` does.
  @discardableResult
  public func setData(
    _ data: [String: Any], forDocument document: DocumentReference, merge: Bool = false
  ) -> WriteBatch {
    add(document) { () throws(TreeError) in
      if merge { return try DocumentWrite.merge(data) }
      let value = try NewValue(any: data)
      return DocumentWrite.whole(value)
    }
  }

  /// Adds what `DocumentReference.setData(from:merge:)` does.
  /// - Throws: `EncodingError` for what a tree cannot hold; then nothing is added.
  @discardableResult
  public func setData<T: Encodable>(
    from value: T, forDocument document: DocumentReference, merge: Bool = false, encoder: TreeEncoder = TreeEncoder()
  ) throws -> WriteBatch {
    let new = try encoder.encode(value, at: document.reference.path)
    return add(document) { () throws(TreeError) in merge ? DocumentWrite.merge(new) : DocumentWrite.whole(new) }
  }

  /// Adds what `DocumentReference.updateData(_:)` does: a document that does not exist by then makes the batch fail.
  @discardableResult
  public func updateData(_ fields: [String: Any], forDocument document: DocumentReference) -> WriteBatch {
    add(document, mustExist: true) { () throws(TreeError) in try DocumentWrite.update(fields) }
  }

  /// Adds the removal of a document, with the collections inside it.
  @discardableResult
  public func deleteDocument(_ document: DocumentReference) -> WriteBatch {
    add(document) { () throws(TreeError) in DocumentWrite.whole(.null) }
  }

  /// Makes all of it, as whoever is logged in; returns when that is durable.
  /// - Throws: What is wrong with one of the writes; `notFound` if a document to update is not there, `refused` where one
  ///   may not be written; `invalidArgument` for a batch that was committed before.
  public func commit() async throws {
    let writes = try take()
    let user = try database.actingUser?()
    try await database.write(as: user) { transaction in
      for (document, write, mustExist) in writes {
        try document.perform(write, mustExist: mustExist, transaction)
      }
    }
  }

  private func add(
    _ document: DocumentReference, mustExist: Bool = false, _ make: () throws(TreeError) -> DocumentWrite
  ) -> WriteBatch {
    do throws(TreeError) {
      guard document.reference.database === database else {
        throw TreeError(
          .invalidArgument, "the document \(document.path) is in another database than the batch",
          advice: "Write to each database with a batch of its own.")
      }
      try document.reference.requireWritable()
      let write = try make()
      state.withLock { $0.writes.append((document, write, mustExist)) }
    } catch {
      state.withLock { $0.invalid = $0.invalid ?? error }
    }
    return self
  }

  private func take() throws(TreeError) -> [(document: DocumentReference, write: DocumentWrite, mustExist: Bool)] {
    let taken = state.withLock { state in
      let taken = (state.writes, state.invalid, state.isCommitted)
      state.isCommitted = true
      return taken
    }
    if let error = taken.1 { throw error }
    if taken.2 {
      throw TreeError(.invalidArgument, "the batch was committed before", advice: "Make another one with batch().")
    }
    return taken.0
  }
}

extension Database {
  /// A batch without writes, for several documents at once.
  public func batch() -> WriteBatch { WriteBatch(self) }
}
