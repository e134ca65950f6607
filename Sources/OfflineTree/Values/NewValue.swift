/// What a write takes: a JSON value, in which leaves may be server values and nodes may carry priorities.
public struct NewValue: Sendable, Equatable {
  public var content: Content
  /// The priority given with the node; nil where none is given.
  public var priority: Priority?

  public init(content: Content, priority: Priority? = nil) {
    self.content = content
    self.priority = priority
  }

  public indirect enum Content: Sendable, Equatable {
    /// Removes the node.
    case null
    case scalar(Scalar)
    /// `{".sv": "timestamp"}`: the change's wall time.
    case timestamp
    /// `{".sv": {"increment": n}}`: adds to the number that is there.
    case increment(Scalar)
    /// Members in key order, each key once, none null, and at least one.
    case object([Member])
  }

  public struct Member: Sendable, Equatable {
    public var key: Key
    public var value: NewValue

    public init(_ key: Key, _ value: NewValue) {
      self.key = key
      self.value = value
    }
  }

  /// What orders a node among its siblings.
  public enum Priority: Sendable, Equatable {
    /// `".priority": null`: no priority, said in so many words.
    case null
    /// A number or a string.
    case scalar(Scalar)
    case timestamp
    case increment(Scalar)
  }

  public static let null = NewValue(content: .null)
  public static let timestamp = NewValue(content: .timestamp)

  public init(_ scalar: Scalar) { self.init(content: .scalar(scalar)) }

  /// Adds `delta`, a number.
  /// - Throws: `invalidArgument` if it is none, or not finite.
  public static func increment(_ delta: Scalar) throws(TreeError) -> NewValue {
    guard delta.isNumber else {
      throw TreeError(.invalidArgument, "an increment needs a number", advice: "Write {\".sv\": {\"increment\": 1}}.")
    }
    return NewValue(content: .increment(try delta.normalized()))
  }

  /// An object of those members that are not null, or null, without a priority, if there is none; of a key's rivals
  /// the last one counts.
  /// - Complexity: O(n log n).
  public init(members: [Member], priority: Priority? = nil) {
    let kept = inKeyOrder(members, \.key).filter { $0.value.content != .null }
    self.init(content: kept.isEmpty ? .null : .object(kept), priority: kept.isEmpty ? nil : priority)
  }

  public init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .object(let object): self.init(members: object.members.map { Member($0.key, NewValue($0.value)) })
    case .bool(let value): self.init(Scalar.bool(value))
    case .int(let value): self.init(Scalar.int(value))
    case .double(let value): self.init(Scalar.double(value))
    case .string(let value): self.init(Scalar.string(value))
    }
  }
}
