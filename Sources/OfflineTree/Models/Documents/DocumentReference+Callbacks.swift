/// The same for programs without `async`: blocks are called on `Database.callbackQueue`, in the order of the calls.
extension DocumentReference {
  public typealias Completion = @Sendable ((any Error)?) -> Void

  public func setData(_ data: [String: Any], merge: Bool = false, completion: Completion? = nil) {
    enqueue(completion) { () throws(TreeError) in
      if merge { return (try DocumentWrite.merge(data), false) }
      let value = try NewValue(any: data)
      return (DocumentWrite.whole(value), false)
    }
  }

  public func updateData(_ fields: [String: Any], completion: Completion? = nil) {
    enqueue(completion) { () throws(TreeError) in (try DocumentWrite.update(fields), true) }
  }

  public func delete(completion: Completion? = nil) {
    enqueue(completion) { () throws(TreeError) in (DocumentWrite.whole(.null), false) }
  }

  public func getDocument(completion: @escaping @Sendable (DocumentSnapshot?, (any Error)?) -> Void) {
    let reference = reference
    let answer: @Sendable (Result<DocumentSnapshot, any Error>) -> Void = { result in
      switch result {
      case .success(let document): completion(document, nil)
      case .failure(let error): completion(nil, error)
      }
    }
    reference.database.aside(answer) { DocumentSnapshot(try reference.snapshot()) }
  }

  private func enqueue(
    _ completion: Completion?, _ make: () throws(TreeError) -> (write: DocumentWrite, mustExist: Bool)
  ) {
    var block: DatabaseReference.Completion?
    if let completion { block = { error, _ in completion(error) } }
    do {
      try reference.requireWritable()
      let (write, mustExist) = try make()
      let user = try reference.database.actingUser?()
      reference.database.write(as: user) { [self] transaction in
        try perform(write, mustExist: mustExist, transaction)
      } completion: { [reference, block] result in
        switch result {
        case .success: reference.finish(nil, block)
        case .failure(let error): reference.finish(error, block)
        }
      }
    } catch {
      reference.finish(error, block)
    }
  }
}
