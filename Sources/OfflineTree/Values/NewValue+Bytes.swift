/// How a value that is to be written later is kept: each node a kind, a content and a priority.
extension NewValue {
  private enum Kind: UInt8 { case null, scalar, timestamp, increment, object }

  package func encode(to writer: inout ByteWriter) {
    switch content {
    case .null: writer.u8(Kind.null.rawValue)
    case .timestamp: writer.u8(Kind.timestamp.rawValue)
    case .scalar(let scalar):
      writer.u8(Kind.scalar.rawValue)
      scalar.encode(to: &writer)
    case .increment(let delta):
      writer.u8(Kind.increment.rawValue)
      delta.encode(to: &writer)
    case .object(let members):
      writer.u8(Kind.object.rawValue)
      writer.varint(members.count)
      for member in members {
        writer.prefixed(member.key.text)
        member.value.encode(to: &writer)
      }
    }
    writer.u8(priority == nil ? 0 : 1)
    priority?.encode(to: &writer)
  }

  package static func decode(from reader: inout ByteReader) throws(TreeError) -> NewValue {
    try decode(from: &reader, levels: Limits.pathLevels)
  }

  private static func decode(from reader: inout ByteReader, levels: Int) throws(TreeError) -> NewValue {
    let content: Content
    switch Kind(rawValue: try reader.u8("kind of a value")) {
    case .null: content = .null
    case .timestamp: content = .timestamp
    case .scalar: content = .scalar(try Scalar.decode(from: &reader))
    case .increment: content = .increment(try Scalar.decode(from: &reader))
    case .object where levels > 0:
      var members: [Member] = []
      for _ in 0..<(try reader.count("members", limit: reader.remaining)) {
        let key = try Key(String(decoding: try reader.prefixed("key", limit: Limits.pathBytes), as: UTF8.self))
        members.append(Member(key, try decode(from: &reader, levels: levels - 1)))
      }
      content = .object(members)
    default: throw TreeError(.damaged, "a value that was kept to be written later cannot be read")
    }
    let hasPriority = try reader.u8("priority") == 1
    return NewValue(content: content, priority: hasPriority ? try Priority.decode(from: &reader) : nil)
  }
}

extension NewValue.Priority {
  private var asValue: NewValue {
    switch self {
    case .null: .null
    case .scalar(let scalar): NewValue(scalar)
    case .timestamp: .timestamp
    case .increment(let delta): NewValue(content: .increment(delta))
    }
  }

  package func encode(to writer: inout ByteWriter) { asValue.encode(to: &writer) }

  package static func decode(from reader: inout ByteReader) throws(TreeError) -> NewValue.Priority {
    guard let priority = NewValue.Priority(try NewValue.decode(from: &reader)) else {
      throw TreeError(.damaged, "a priority that was kept to be written later cannot be read")
    }
    return priority
  }
}
