package import OfflineTree

/// A JSON document that keeps what tests compare: the order of members, and 1 apart from 1.0.
package enum JSON: Sendable {
  case null
  case scalar(Scalar)
  case array([JSON])
  case object([(key: String, value: JSON)])

  package init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .object(let object): self = .object(object.members.map { ($0.key.text, JSON($0.value)) })
    case .bool, .int, .double, .string: self = value.scalar.map { .scalar($0) } ?? .null
    }
  }

  package init(_ scalar: Scalar?) {
    self = scalar.map { .scalar($0) } ?? .null
  }

  /// The member of that name: of several, the last; nil if there is none or this is no object.
  package subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.key.utf8.elementsEqual(name.utf8) }?.value
  }

  package var text: String? {
    if case .scalar(.string(let text)) = self { text } else { nil }
  }

  package var integer: Int64? {
    if case .scalar(.int(let value)) = self { value } else { nil }
  }

  package var elements: [JSON] {
    if case .array(let elements) = self { elements } else { [] }
  }

  package var members: [(key: String, value: JSON)] {
    if case .object(let members) = self { members } else { [] }
  }

  /// The value that a write of this document stores: arrays become objects, null members vanish.
  package func newValue() throws(TreeError) -> NewValue {
    switch self {
    case .null: return .null
    case .scalar(let scalar): return NewValue(try scalar.normalized())
    case .array(let elements):
      var members: [NewValue.Member] = []
      for (index, element) in elements.enumerated() {
        members.append(NewValue.Member(Key(index: index), try element.newValue()))
      }
      return NewValue(members: members)
    case .object(let object):
      var members: [NewValue.Member] = []
      for member in object { members.append(NewValue.Member(try Key(member.key), try member.value.newValue())) }
      return NewValue(members: members)
    }
  }
}

extension JSON: CustomStringConvertible {
  /// Canonical enough to compare: no spaces, members in their order, doubles in their shortest form.
  package var description: String {
    switch self {
    case .null: "null"
    case .scalar(.bool(let value)): value ? "true" : "false"
    case .scalar(.int(let value)): String(value)
    case .scalar(.double(let value)): String(value)
    case .scalar(.string(let text)): JSON.quoted(text)
    case .array(let elements): "[" + elements.map(\.description).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { JSON.quoted($0.key) + ":" + $0.value.description }.joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\0"..<" ": result += "\\u00" + hexadecimal([UInt8(scalar.value)])
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

extension JSON: Equatable {
  package static func == (left: JSON, right: JSON) -> Bool {
    left.description.utf8.elementsEqual(right.description.utf8)
  }
}
