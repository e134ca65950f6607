/// Somebody who hears of a document or a query until `remove` is called.
public struct ListenerRegistration: Sendable {
  private let query: DatabaseQuery
  private let handle: DatabaseHandle

  fileprivate init(_ query: DatabaseQuery, _ handle: DatabaseHandle) {
    self.query = query
    self.handle = handle
  }

  /// Ends it. Once this has returned, the block is not called any more, unless a call is going on on another thread.
  public func remove() { query.removeObserver(withHandle: handle) }
}

extension DocumentReference {
  /// Calls `block` on `Database.callbackQueue` with the document that is there, and with each newer one; with an error
  /// once, if there can be no more.
  @discardableResult
  public func addSnapshotListener(
    _ block: @escaping @Sendable (DocumentSnapshot?, (any Error)?) -> Void
  ) -> ListenerRegistration {
    let handle = reference.observe(.value, with: { block(DocumentSnapshot($0), nil) }, withCancel: { block(nil, $0) })
    return ListenerRegistration(reference, handle)
  }

  /// The document that is there, and each newer one. A slow reader gets the newest and misses those between.
  public var snapshots: AsyncThrowingMapSequence<DataSnapshots, DocumentSnapshot> {
    reference.snapshots.map { snapshot throws in DocumentSnapshot(snapshot) }
  }
}

extension CollectionQuerying {
  /// Calls `block` on `Database.callbackQueue` with the documents that the query finds, and again whenever one of them
  /// changes, comes or goes; with an error once, if there can be no more.
  @discardableResult
  public func addSnapshotListener(
    _ block: @escaping @Sendable (QuerySnapshot?, (any Error)?) -> Void
  ) -> ListenerRegistration {
    let (observed, answer) = query.observed
    let handle = observed.observe(
      .value,
      with: { snapshot in
        do {
          block(try answer(snapshot), nil)
        } catch {
          block(nil, error)
        }
      }, withCancel: { block(nil, $0) })
    return ListenerRegistration(observed, handle)
  }

  /// The documents that the query finds, and each newer answer. A slow reader gets the newest and misses those between.
  public var snapshots: AsyncThrowingMapSequence<DataSnapshots, QuerySnapshot> {
    let (observed, answer) = query.observed
    return observed.snapshots.map { snapshot throws in try answer(snapshot) }
  }
}

extension CollectionQuery {
  /// What to observe, and what to make of it; where the query cannot be, observing it says why.
  fileprivate var observed: (query: DatabaseQuery, answer: @Sendable (DataSnapshot) throws -> QuerySnapshot) {
    do throws(TreeError) {
      let plan = try plan()
      return (plan.query, { try plan.answer($0) })
    } catch {
      return (collection.reference.with { (_) throws(TreeError) in throw error }, { _ in throw error })
    }
  }
}
