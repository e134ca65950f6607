extension Value {
  /// Reads one JSON value. Arrays become objects, members that are null are left out, of a name's rivals the last counts.
  /// - Throws: `invalidArgument` with line and column for what is not JSON, or a name that cannot be a key;
  ///   `limitExceeded` beyond 64 levels or for a string that is too long.
  /// - Complexity: O(n log n) where names are out of order, else O(n).
  public init(json bytes: some Sequence<UInt8>) throws(TreeError) {
    var reader = JSONTreeReader(JSONScanner(Array(bytes)))
    self = try Value.read(try reader.next(), from: &reader)
    try reader.finish()
  }

  public init(json text: String) throws(TreeError) { try self.init(json: text.utf8) }

  private static func read(_ event: JSONScanner.Event, from reader: inout JSONTreeReader) throws(TreeError) -> Value {
    switch event {
    case .beginObject: return try readObject(from: &reader)
    case .beginArray: return try readArray(from: &reader)
    default: return reader.scalar(event).map { Value($0) } ?? .null
    }
  }

  private static func readObject(from reader: inout JSONTreeReader) throws(TreeError) -> Value {
    var members: [Object.Member] = []
    while case .key = try reader.next() {
      let key = try reader.key()
      reader.enter(key.text)
      members.append(Object.Member(key, try read(try reader.next(), from: &reader)))
      reader.leave()
    }
    return Value(members: members)
  }

  private static func readArray(from reader: inout JSONTreeReader) throws(TreeError) -> Value {
    var elements: [Value] = []
    var event = try reader.next()
    while event != .endArray {
      reader.enter("\(elements.count)")
      elements.append(try read(event, from: &reader))
      reader.leave()
      event = try reader.next()
    }
    return Value(elements: elements)
  }

  /// The value as JSON in UTF-8, members in key order, compact or with two spaces for each level.
  /// - Complexity: O(size).
  public func jsonBytes(pretty: Bool = false) -> [UInt8] {
    var writer = JSONWriter(pretty: pretty)
    writer.value(self)
    return writer.take()
  }

  /// The same as a string.
  public func json(pretty: Bool = false) -> String { String(decoding: jsonBytes(pretty: pretty), as: UTF8.self) }
}

extension Value: CustomStringConvertible {
  /// Compact JSON.
  public var description: String { json() }
}
