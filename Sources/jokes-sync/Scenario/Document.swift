internal import OfflineTree

/// Any JSON document, its members in the order in which they stand.
indirect enum Document: Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  case array([Document])
  case object([Member])

  struct Member: Sendable {
    let name: String
    let value: Document

    init(_ name: String, _ value: Document) {
      self.name = name
      self.value = value
    }
  }

  /// - Throws: `invalidArgument` for what is not JSON.
  init(json bytes: [UInt8]) throws(TreeError) {
    var scanner = JSONScanner(bytes)
    self = try Document.read(try scanner.next(), &scanner)
    _ = try scanner.next()
  }

  private static func read(_ event: JSONScanner.Event, _ scanner: inout JSONScanner) throws(TreeError) -> Document {
    switch event {
    case .beginObject:
      var members: [Member] = []
      while case .key = try scanner.next() {
        let name = scanner.string
        members.append(Member(name, try read(try scanner.next(), &scanner)))
      }
      return .object(members)
    case .beginArray:
      var elements: [Document] = []
      while true {
        let event = try scanner.next()
        if event == .endArray { return .array(elements) }
        elements.append(try read(event, &scanner))
      }
    case .bool(let value): return .bool(value)
    case .int(let value): return .int(value)
    case .double(let value): return .double(value)
    case .string: return .string(scanner.string)
    case .null, .key, .endObject, .endArray, .end: return .null
    }
  }

  init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .double(let value): self = .double(value)
    case .string(let value): self = .string(value)
    case .object(let object): self = .object(object.members.map { Member($0.key.text, Document($0.value)) })
    }
  }

  /// What a write takes: arrays become objects, null is nothing.
  /// - Throws: `invalidArgument` for a name that cannot be a key.
  func value() throws(TreeError) -> Value {
    switch self {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .int(let value): return .int(value)
    case .double(let value): return .double(value)
    case .string(let value): return .string(value)
    case .array(let elements):
      var values: [Value] = []
      for element in elements { values.append(try element.value()) }
      return Value(elements: values)
    case .object(let members):
      var values: [(key: Key, value: Value)] = []
      for member in members { values.append((try Key(member.name), try member.value.value())) }
      return Value(members: values)
    }
  }

  // MARK: Reading

  subscript(name: String) -> Document? { members.first { $0.name == name }?.value }

  var members: [Member] { if case .object(let members) = self { members } else { [] } }
  var elements: [Document] { if case .array(let elements) = self { elements } else { [] } }
  var text: String? { if case .string(let text) = self { text } else { nil } }
  var integer: Int64? { if case .int(let number) = self { number } else { nil } }
}
