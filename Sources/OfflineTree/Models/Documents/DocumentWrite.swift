/// What a write makes of a document's fields: prepared where it is called, made on the writer's thread.
struct DocumentWrite: Sendable {
  private var fields: [(path: Path, value: FieldValue)] = []

  /// A document in place of what is there.
  static func whole(_ value: NewValue) -> DocumentWrite {
    DocumentWrite(fields: [(.root, FieldValue(content: .value(value)))])
  }

  /// Fields by name, or by names with dots between them; each is replaced as a whole.
  static func update(_ data: [String: Any?]) throws(TreeError) -> DocumentWrite {
    var write = DocumentWrite()
    for name in data.keys.sorted() { try write.add(data[name] ?? nil, at: try FieldPath.path(name)) }
    try write.checkOverlap()
    return write
  }

  /// Fields that go into what is there: of dictionaries only what they name is replaced.
  static func merge(_ data: [String: Any?]) throws(TreeError) -> DocumentWrite {
    var write = DocumentWrite()
    try write.merge(data, at: .root)
    return write
  }

  /// The same for a value that was encoded.
  static func merge(_ value: NewValue) -> DocumentWrite {
    var write = DocumentWrite()
    write.merge(value, at: .root)
    return write
  }

  private mutating func add(_ value: Any?, at path: Path) throws(TreeError) {
    if let field = value as? FieldValue {
      if case .invalid(let error) = field.content { throw error }
      fields.append((path, field))
    } else {
      fields.append((path, FieldValue(content: .value(try NewValue(any: value)))))
    }
  }

  private mutating func merge(_ data: [String: Any?], at path: Path) throws(TreeError) {
    for name in data.keys.sorted() {
      let value = data[name] ?? nil
      let field = try path.child(try Key(name))
      if let inner = value as? [String: Any?], !inner.isEmpty, !inner.keys.contains(where: { $0.hasPrefix(".") }) {
        try merge(inner, at: field)
      } else {
        try add(value, at: field)
      }
    }
  }

  private mutating func merge(_ value: NewValue, at path: Path) {
    guard case .object(let members) = value.content else {
      fields.append((path, FieldValue(content: .value(value))))
      return
    }
    // What is too deep is refused when it is written.
    for member in members { merge(member.value, at: Path(trusted: path.keys + [member.key])) }
  }

  private func checkOverlap() throws(TreeError) {
    let paths = fields.map { PathKey($0.path) }.sorted()
    for index in paths.indices.dropFirst() where paths[index - 1].isPrefix(of: paths[index]) {
      throw TreeError(
        .invalidArgument, "the field \(paths[index]) is inside the field \(paths[index - 1])",
        advice: "Leave one of them out.")
    }
  }

  /// Makes it, as part of the change that `transaction` becomes.
  func perform(at document: Path, _ transaction: WriteTransaction) throws {
    for (path, field) in fields {
      let place = try document.appending(path)
      switch field.content {
      case .delete: try transaction.removeValue(at: place)
      case .value(let value): try transaction.setValue(value, at: place)
      case .union(let elements):
        let old = try Self.array(at: place, transaction)
        let new = elements.reduce(into: old) { if !$0.contains($1) { $0.append($1) } }
        if new.count > old.count { try transaction.setValue(NewValue(elements: new), at: place) }
      case .removal(let elements):
        let old = try Self.array(at: place, transaction)
        let new = old.filter { !elements.contains($0) }
        if new.count < old.count { try transaction.setValue(NewValue(elements: new), at: place) }
      case .invalid(let error): throw error
      }
    }
  }

  private static func array(at path: Path, _ transaction: WriteTransaction) throws -> [NewValue] {
    try transaction.decode([Value?].self, at: path).map { NewValue($0 ?? .null) }
  }
}

extension NewValue {
  fileprivate init(elements: [NewValue]) {
    self.init(members: elements.enumerated().map { Member(Key(index: $0.offset), $0.element) })
  }
}

/// A field of a document, by names with dots between them.
enum FieldPath {
  /// - Throws: `invalidArgument` for a name that cannot be a key.
  static func path(_ field: String) throws(TreeError) -> Path {
    var keys: [Key] = []
    for name in field.split(separator: ".", omittingEmptySubsequences: false) {
      do throws(TreeError) {
        keys.append(try Key(String(name)))
      } catch {
        throw TreeError(
          error.code, "the field \"\(UTF8Text.excerpt(field.utf8))\": \(error.context)", advice: error.advice)
      }
    }
    return try Path(keys)
  }
}
