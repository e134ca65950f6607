extension Operation {
  func encode(to writer: inout ByteWriter) {
    switch self {
    case .clear(let path):
      writer.append(path.textBytes)
    case .put(let path, let value), .increment(let path, let value):
      writer.prefixed(path.textBytes)
      value.encode(to: &writer)
    case .vote(let path, let voter, let choice):
      writer.prefixed(path.textBytes)
      writer.prefixed(voter.text)
      writer.zigzag(Int64(choice))
    case .priority(let path, let value):
      writer.prefixed(path.textBytes)
      if let value { value.encode(to: &writer) } else { writer.u8(0) }
    case .file(let name, let content):
      writer.prefixed(name.textBytes)
      writer.u8(content == nil ? 0 : 1)
      content?.encode(to: &writer)
    }
  }

  /// Nil for a kind that this version does not know.
  static func decode(
    kind: UInt8, _ reader: inout ByteReader, _ content: inout ContentReader
  ) throws(TreeError) -> Operation? {
    switch kind {
    case 0x20:
      return .clear(try content.path(reader.rest()))
    case 0x21:
      return .put(try path(&reader, &content), try scalar(&reader, &content))
    case 0x22:
      let path = try path(&reader, &content)
      let number = try Scalar.decode(from: &reader)
      guard number.isNumber else { throw reader.damaged("increment", "is not a number") }
      return .increment(path, by: number)
    case 0x23:
      let path = try path(&reader, &content)
      let voter = content.key(try reader.prefixed("voter", limit: reader.remaining))
      let choice = try reader.zigzag("choice")
      guard (-1...1).contains(choice) else { throw reader.damaged("choice", "is neither -1 nor 0 nor 1") }
      return .vote(path, voter: voter, choice: Int8(choice))
    case 0x24:
      return .priority(try path(&reader, &content), try priority(&reader, &content))
    case 0x25:
      let name = try content.fileName(reader.prefixed("file's name", limit: reader.remaining))
      switch try reader.u8("file") {
      case 0: return .file(name, nil)
      case 1: return .file(name, try FileContent.decode(from: &reader, &content))
      default: throw reader.damaged("file", "is neither there nor removed")
      }
    default:
      return nil
    }
  }

  private static func path(
    _ reader: inout ByteReader, _ content: inout ContentReader
  ) throws(TreeError) -> PathKey {
    try content.path(try reader.prefixed("path", limit: reader.remaining))
  }

  private static func scalar(
    _ reader: inout ByteReader, _ content: inout ContentReader
  ) throws(TreeError) -> Scalar {
    let value = try Scalar.decode(from: &reader)
    if case .string(let text) = value, text.utf8.count > Limits.stringBytes {
      content.note("a string has \(text.utf8.count) bytes")
    }
    return value
  }

  private static func priority(
    _ reader: inout ByteReader, _ content: inout ContentReader
  ) throws(TreeError) -> Scalar? {
    var ahead = reader
    if try ahead.u8("priority") == 0 {
      reader = ahead
      return nil
    }
    let value = try scalar(&reader, &content)
    if case .bool = value { throw reader.damaged("priority", "is neither a number nor a string") }
    return value
  }
}
