/// A node in the making: what an encoder has been given for it so far.
final class NewNode {
  enum Content {
    case nothing
    case value(NewValue)
    case members([Member])
    case elements([NewNode])
  }

  struct Member {
    /// The type's name; two properties that have one name in the tree are a mistake.
    let property: String
    let node: NewNode
  }

  var content = Content.nothing
  /// Entries of a dictionary are data: one that is empty is lost as a key.
  var isDictionary = false
  let trail: CodingTrail

  init(_ trail: CodingTrail = CodingTrail()) { self.trail = trail }

  /// The member of that name; a further one replaces what it was.
  func member(_ property: any CodingKey, named name: String, again: Bool = false) -> NewNode {
    var members: [Member] = []
    if case .members(let earlier) = content { members = earlier }
    content = .nothing
    defer { content = .members(members) }
    if again, let earlier = members.last(where: { $0.property == property.stringValue }) { return earlier.node }
    let node = NewNode(trail.child(property, name))
    members.append(Member(property: property.stringValue, node: node))
    return node
  }

  /// The next element.
  func element() -> NewNode {
    var elements: [NewNode] = []
    if case .elements(let earlier) = content { elements = earlier }
    content = .nothing
    let node = NewNode(trail.child(elements.count))
    elements.append(node)
    content = .elements(elements)
    return node
  }

  var elementCount: Int { if case .elements(let elements) = content { elements.count } else { 0 } }

  func beginMembers() { if case .members = content {} else { content = .members([]) } }
  func beginElements() { if case .elements = content {} else { content = .elements([]) } }
}

// MARK: The result

extension NewNode {
  /// What is to be written.
  func newValue(_ options: NodeEncoder.Options) throws -> NewValue {
    switch content {
    case .nothing: return .null
    case .value(let value): return value
    case .members(let members): return try object(members, options)
    case .elements(let elements): return try array(elements, options)
    }
  }

  private func object(_ members: [Member], _ options: NodeEncoder.Options) throws -> NewValue {
    var result: [NewValue.Member] = []
    result.reserveCapacity(members.count)
    var properties: [Key: String] = [:]
    for member in members {
      let key = try member.node.key(options)
      if let other = properties.updateValue(member.property, forKey: key), other != member.property {
        throw member.node.refused(
          options, "\"\(other)\" and \"\(member.property)\" would both be \(member.node.place(options))",
          "Give one of them another CodingKey.")
      }
      let value = try member.node.newValue(options)
      if value.content == .null, isDictionary, !options.dropsEmpty {
        throw member.node.refused(
          options,
          "the entry \(member.node.place(options)) of a dictionary is nil or empty, and the tree would lose its key",
          "Leave it out, or set the encoder's emptyValueStrategy to drop.")
      }
      result.append(NewValue.Member(key, value))
    }
    return NewValue(members: result)
  }

  private func array(_ elements: [NewNode], _ options: NodeEncoder.Options) throws -> NewValue {
    let values = try elements.map { try $0.newValue(options) }
    let count = values.count { $0.content != .null }
    if !options.dropsEmpty, let last = elements.last {
      if values.last?.content == .null {
        throw last.refused(
          options, "the last element of an array, \(last.place(options)), is nil or empty, and the tree would lose it",
          "Leave it out, or set the encoder's emptyValueStrategy to drop.")
      }
      if values.count > 2 * count {
        throw refused(
          options,
          "of the \(values.count) elements of \(place(options)) only \(count) have a value: the tree would not know it for an array",
          "Use a dictionary, or set the encoder's emptyValueStrategy to drop.")
      }
    }
    return NewValue(members: values.enumerated().map { NewValue.Member(Key(index: $0.offset), $0.element) })
  }

  private func key(_ options: NodeEncoder.Options) throws -> Key {
    do {
      return try Key(trail.name ?? "")
    } catch {
      throw EncodingError.invalidValue(
        trail.name ?? "",
        EncodingError.Context(
          codingPath: trail.codingPath,
          debugDescription: "below \(trail.above.place(below: options.place)): \(error.context). \(error.advice)",
          underlyingError: error))
    }
  }

  func place(_ options: NodeEncoder.Options) -> String { trail.place(below: options.place) }

  func refused(_ options: NodeEncoder.Options, _ sentence: String, _ advice: String, value: Any = ()) -> EncodingError {
    .invalidValue(
      value, EncodingError.Context(codingPath: trail.codingPath, debugDescription: "\(sentence). \(advice)"))
  }
}
