internal import OfflineTree

/// One leaf, or one priority, of a document.
enum ImportItem: Equatable {
  case leaf(Path, Scalar)
  /// Comes after everything that is at and below the path.
  case priority(Path, Scalar)
}

/// Reads a Firebase export as leaves: arrays become objects with the keys 0, 1, 2 …, null is nothing.
struct ImportReader {
  private enum Name {
    case key(Key)
    case value
    case priority
  }

  private struct Level {
    /// The index of the next element of an array; nil in an object.
    var index: Int?
    var priority: Scalar?
  }

  private var scanner: JSONScanner
  private var levels: [Level] = []
  /// The keys of the open levels, the outermost aside.
  private var keys: [Key] = []
  private var name: Name?

  init(_ scanner: JSONScanner) {
    self.scanner = scanner
  }

  var offset: Int { scanner.offset }

  /// Nil at the end of the document.
  mutating func next() throws(TreeError) -> ImportItem? {
    while true {
      switch try scanner.next() {
      case .key: name = try readName()
      case .beginObject: try open(Level())
      case .beginArray: try open(Level(index: 0))
      case .endObject, .endArray: if let item = try close() { return item }
      case .null: _ = try place()
      case .bool(let value): if let item = try item(.bool(value)) { return item }
      case .int(let value): if let item = try item(.int(value)) { return item }
      case .double(let value): if let item = try item(.double(value)) { return item }
      case .string: if let item = try item(.string(scanner.string)) { return item }
      case .end: return nil
      }
    }
  }

  private func readName() throws(TreeError) -> Name {
    let text = scanner.text
    if text == Array(".value".utf8) { return .value }
    if text == Array(".priority".utf8) { return .priority }
    do throws(TreeError) {
      return .key(try Key(utf8: text))
    } catch {
      throw failure(error.context, error.code, error.advice)
    }
  }

  /// What the value at the cursor is called; nil at the root.
  private mutating func place() throws(TreeError) -> Name? {
    defer { name = nil }
    guard let index = levels.last?.index else { return name }
    levels[levels.count - 1].index = index + 1
    return .key(Key(index: index))
  }

  private mutating func open(_ level: Level) throws(TreeError) {
    switch try place() {
    case .key(let key): keys.append(key)
    case .value, .priority: throw failure(".value and .priority have to be leaves")
    case nil: break
    }
    levels.append(level)
  }

  private mutating func close() throws(TreeError) -> ImportItem? {
    let priority = levels.removeLast().priority
    let path = priority == nil ? nil : try path(nil)
    if !keys.isEmpty { keys.removeLast() }
    if let priority, let path { return .priority(path, priority) }
    return nil
  }

  private mutating func item(_ scalar: Scalar) throws(TreeError) -> ImportItem? {
    switch try place() {
    case .key(let key): return .leaf(try path(key), scalar)
    case .value, nil: return .leaf(try path(nil), scalar)
    case .priority:
      if case .bool = scalar { throw failure("a priority has to be a number or a string") }
      levels[levels.count - 1].priority = scalar
      return nil
    }
  }

  private func path(_ key: Key?) throws(TreeError) -> Path {
    do throws(TreeError) {
      return try Path(key.map { keys + [$0] } ?? keys)
    } catch {
      throw failure(error.context, error.code, error.advice)
    }
  }

  private func failure(
    _ problem: String, _ code: TreeError.Code = .invalidArgument, _ advice: String = ""
  ) -> TreeError {
    let place = keys.map(\.text).joined(separator: "/")
    return TreeError(code, "byte \(scanner.offset), in \"/\(place)\": \(problem)", advice: advice)
  }
}
