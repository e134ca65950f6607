import OfflineTree
import TestSupport

/// A tree as Firebase's client shows it: what the server said, with what was written here and not acknowledged over it.
struct OracleNode: Equatable {
  var scalar: Scalar?
  var children: [Key: OracleNode] = [:]
  var priority: NewValue.Priority?

  var isEmpty: Bool { scalar == nil && children.isEmpty }

  init() {}

  init(_ value: NewValue) {
    switch value.content {
    case .scalar(let scalar): self.scalar = scalar
    case .object(let members):
      for member in members { children[member.key] = OracleNode(member.value) }
    default: break
    }
    if !isEmpty { priority = value.priority }
  }

  var value: NewValue {
    if let scalar { return NewValue(content: .scalar(scalar), priority: priority) }
    return NewValue(members: children.map { NewValue.Member($0.key, $0.value.value) }, priority: priority)
  }

  subscript(keys: ArraySlice<Key>) -> OracleNode {
    guard let key = keys.first else { return self }
    return children[key]?[keys.dropFirst()] ?? OracleNode()
  }

  mutating func set(_ keys: ArraySlice<Key>, _ node: OracleNode) {
    guard let key = keys.first else {
      self = node
      return
    }
    if scalar != nil, node.isEmpty { return }
    scalar = nil
    var child = children[key] ?? OracleNode()
    child.set(keys.dropFirst(), node)
    children[key] = child.isEmpty ? nil : child
    if isEmpty { priority = nil }
  }

  mutating func setPriority(_ keys: ArraySlice<Key>, _ new: NewValue.Priority?) {
    guard let key = keys.first else {
      if !isEmpty { priority = new == .null ? nil : new }
      return
    }
    children[key]?.setPriority(keys.dropFirst(), new)
  }
}

/// What one step of a case writes.
struct OracleWrite {
  var path: Path
  var value: NewValue
  var isPriority = false

  init(_ path: String, _ data: JSON) throws {
    let names = path.split(separator: "/").map(String.init)
    isPriority = names.last == ".priority"
    self.path = try Path((isPriority ? Array(names.dropLast()) : names).joined(separator: "/"))
    value = try NewValue(json: data.description)
  }

  func apply(to node: inout OracleNode) {
    if isPriority {
      node.setPriority(path.keys[...], NewValue.Priority(value))
    } else {
      node.set(path.keys[...], OracleNode(value))
    }
  }
}
