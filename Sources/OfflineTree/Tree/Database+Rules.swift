/// Who may write what: the rules of the space.
extension Database {
  /// The text of the rules that judge what is written now, with its comments; nil where there are none, and every member
  /// may write everything.
  public func rules() throws -> String? {
    try view { _, replica in
      replica.authority.currentRules(replica.everything).map { String(decoding: $0.text, as: UTF8.self) }
    }
  }

  /// What a person should know of a rules document before it is set, each with line and column.
  ///
  /// - Throws: `invalidArgument` with line and column for what is no rules document, `limitExceeded` for a long one.
  public static func ruleWarnings(of text: String) throws(TreeError) -> [String] {
    try Rules(Array(text.utf8)).warnings.map(\.description)
  }

  /// Sets the rules of the space, as an owner's device. They judge what is written by those who have heard of them.
  ///
  /// - Throws: `invalidArgument` for what is no rules document, `refused` if this device is no owner's.
  public func setRules(_ text: String) throws {
    let bytes = Array(text.utf8)
    _ = try Rules(bytes)
    try write { $0.act(.rules(bytes)) }
  }

  /// Why a write would be refused, or nil: nothing is stored.
  ///
  /// - Parameters:
  ///   - user: Who acts; nil is nobody. Whether they are logged in here is not asked.
  ///   - text: The rules that judge; nil for those of the space.
  /// - Throws: What `body` throws; `userNotFound` if there is no such account.
  public func ruleRefusal(
    as user: Key?, rules text: String? = nil, _ body: @escaping @Sendable (WriteTransaction) throws -> Void
  ) throws -> String? {
    let given = try text.map { text throws(TreeError) in try Rules(Array(text.utf8)) }
    do {
      try queue.submit { [self] rows, state in
        let everything = state.everything
        let actor = try user.map { try state.authority.actor($0, everything) }
        let transaction = WriteTransaction(
          rows, state, user: user, isImport: false, wallTime: environment.wallClock(),
          randomBytes: environment.randomBytes
        ) { [self] time, chance in newKey(time, chance) }
        defer { transaction.end() }
        try body(transaction)
        let draft = transaction.draft
        let change = Change(
          parents: [], stamp: .zero, wallTime: draft.wallTime, author: user, bindings: draft.bindings,
          operations: draft.operations)
        let rules = given ?? state.authority.currentRules(everything)
        throw Trial(refusal: rules?.refusal(of: change, by: actor, state.declarations)?.description)
      }
    } catch let trial as Trial {
      return trial.refusal
    }
    return nil
  }

  /// Ends a write that was only tried.
  private struct Trial: Error {
    let refusal: String?
  }
}

extension Authority {
  fileprivate func currentRules(_ everything: Context) -> Rules? {
    rules(Act(everything: everything))
  }

  /// Somebody as the rules see them.
  fileprivate func actor(_ user: Key, _ everything: Context) throws(TreeError) -> Actor {
    guard let state = accountStates(of: user, everything).first else {
      throw TreeError(.userNotFound, "no account has the id \(user)", advice: "List the users to see their ids.")
    }
    return Actor(
      uid: user, email: state.account.email, name: state.account.username, isEmailVerified: state.isVouched)
  }
}
