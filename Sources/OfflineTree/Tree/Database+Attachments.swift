extension Database {
  /// What a folder further up keeps for as long as this database is there; made when it is asked for first.
  ///
  /// - Parameter make: Called under a lock; it reads nothing.
  func attachment<Attached: AnyObject & Sendable>(_ type: Attached.Type, _ make: () -> Attached) -> Attached {
    attachments.withLock { attachments in
      if let known = attachments[ObjectIdentifier(type)] as? Attached { return known }
      let new = make()
      attachments[ObjectIdentifier(type)] = new
      return new
    }
  }
}
