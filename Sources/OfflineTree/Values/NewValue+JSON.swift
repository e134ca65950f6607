private enum SpecialName {
  static let value = Array(".value".utf8)
  static let priority = Array(".priority".utf8)
  static let serverValue = Array(".sv".utf8)
}

extension NewValue {
  /// Reads what a client writes, with Firebase's special names:
  /// `{".value": leaf, ".priority": p}`, `{".priority": p, members…}`, `{".sv": "timestamp"}` and
  /// `{".sv": {"increment": n}}`, as a value and as a priority.
  /// - Throws: `invalidArgument` with line, column and path for what is not JSON, a name that cannot be a key, and
  ///   special names in a wrong place; `limitExceeded` beyond 64 levels or for a string that is too long.
  public init(json bytes: some Sequence<UInt8>) throws(TreeError) {
    var reader = JSONTreeReader(JSONScanner(Array(bytes)))
    self = try NewValue.read(try reader.next(), from: &reader)
    try reader.finish()
  }

  public init(json text: String) throws(TreeError) { try self.init(json: text.utf8) }

  /// Reads the object that an update of several paths is: its names are paths, and are handed out as they stand.
  /// - Throws: as `init(json:)`, and `invalidArgument` if it is no object.
  package static func updates(json bytes: some Sequence<UInt8>) throws(TreeError) -> [(path: String, value: NewValue)] {
    var reader = JSONTreeReader(JSONScanner(Array(bytes)))
    guard try reader.next() == .beginObject else { throw reader.failure("an update needs an object") }
    var updates: [(path: String, value: NewValue)] = []
    while case .key = try reader.next() {
      let path = reader.string
      updates.append((path, try readMember(path, from: &reader)))
    }
    try reader.finish()
    return updates
  }

  private static func read(
    _ event: JSONScanner.Event, from reader: inout JSONTreeReader
  ) throws(TreeError) -> NewValue {
    switch event {
    case .beginObject: return try readObject(from: &reader)
    case .beginArray: return try readArray(from: &reader)
    default: return reader.scalar(event).map { NewValue($0) } ?? .null
    }
  }

  private static func readMember(_ name: String, from reader: inout JSONTreeReader) throws(TreeError) -> NewValue {
    reader.enter(name)
    let value = try read(try reader.next(), from: &reader)
    reader.leave()
    return value
  }

  private static func readArray(from reader: inout JSONTreeReader) throws(TreeError) -> NewValue {
    var members: [Member] = []
    var count = 0
    var event = try reader.next()
    while event != .endArray {
      let key = Key(index: count)
      reader.enter(key.text)
      members.append(Member(key, try read(event, from: &reader)))
      reader.leave()
      count += 1
      event = try reader.next()
    }
    return NewValue(members: members)
  }

  private static func readObject(from reader: inout JSONTreeReader) throws(TreeError) -> NewValue {
    var members: [Member] = []
    var leaf: NewValue?
    var priority: Priority?
    var serverValue: Content?
    while case .key = try reader.next() {
      switch reader.text {
      case SpecialName.value: leaf = try readMember(".value", from: &reader)
      case SpecialName.priority: priority = try readPriority(from: &reader)
      case SpecialName.serverValue: serverValue = try readServerValue(from: &reader)
      default:
        let key = try reader.key()
        members.append(Member(key, try readMember(key.text, from: &reader)))
      }
    }
    if let serverValue {
      guard members.isEmpty, leaf == nil, priority == nil else {
        throw reader.failure(
          ".sv has company", advice: "Write {\".value\": {\".sv\": …}, \".priority\": …} for both.")
      }
      return NewValue(content: serverValue)
    }
    guard let leaf else { return NewValue(members: members, priority: priority) }
    guard members.isEmpty else { throw reader.failure(".value stands beside children", advice: "Write one of them.") }
    guard leaf.priority == nil, !leaf.isObject else { throw reader.failure(".value has to be a leaf") }
    return NewValue(content: leaf.content, priority: leaf.content == .null ? nil : priority)
  }

  private static func readPriority(from reader: inout JSONTreeReader) throws(TreeError) -> Priority {
    let value = try readMember(".priority", from: &reader)
    guard let priority = Priority(value) else {
      throw reader.failure("a priority has to be null, a number, a string or a server value")
    }
    return priority
  }

  private static func readServerValue(from reader: inout JSONTreeReader) throws(TreeError) -> Content {
    var content: Content?
    switch try reader.next() {
    case .string where UTF8Text.areEqual(reader.string, "timestamp"): return .timestamp
    case .beginObject:
      while case .key = try reader.next() {
        let isIncrement = UTF8Text.areEqual(reader.string, "increment")
        let delta = reader.scalar(try reader.next())
        guard isIncrement, let delta, delta.isNumber else { throw unknownServerValue(reader) }
        content = .increment(delta)
      }
    default: break
    }
    guard let content else { throw unknownServerValue(reader) }
    return content
  }

  private static func unknownServerValue(_ reader: JSONTreeReader) -> TreeError {
    reader.failure(
      "a server value that is not known", advice: "There are \"timestamp\" and {\"increment\": a number}.")
  }

  private var isObject: Bool { if case .object = content { true } else { false } }
}

extension NewValue.Priority {
  /// The priority that a value says when it is written to `.priority`; nil if it cannot be one.
  package init?(_ value: NewValue) {
    guard value.priority == nil else { return nil }
    switch value.content {
    case .null: self = .null
    case .timestamp: self = .timestamp
    case .increment(let delta): self = .increment(delta)
    case .scalar(.bool), .object: return nil
    case .scalar(let scalar): self = .scalar(scalar)
    }
  }
}
