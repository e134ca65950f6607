extension NewValue {
  /// What a caller hands over as `Any`: nil, booleans, numbers, strings, arrays, dictionaries with strings as keys, the
  /// library's own `Value`, `NewValue` and `Scalar`, and in dictionaries Firebase's special names
  /// (`".value"`, `".priority"`, `".sv"`).
  ///
  /// Of an array the element `i` becomes the child `i`; nil leaves a gap. Integers stay integers, of 64 bits.
  /// - Throws: `invalidArgument` with the path and the type of what is none of these, with the path of a name that
  ///   cannot be a key, for special names in a wrong place, and for numbers that are not finite or do not fit;
  ///   `limitExceeded` beyond `Limits.pathLevels` levels, or for a string that is too long.
  /// - Complexity: O(size).
  public init(any value: Any?) throws(TreeError) {
    var reader = AnyReader()
    self = try reader.read(value)
  }
}

extension NewValue.Priority {
  /// A priority as a caller hands it over: nil, a number, a string, or a server value.
  /// - Throws: `invalidArgument` for everything else.
  package init(any value: Any?) throws(TreeError) {
    guard let priority = NewValue.Priority(try NewValue(any: value)) else {
      throw TreeError(
        .invalidArgument, "a priority has to be null, a number, a string or a server value, and is a \(typeName(value))"
      )
    }
    self = priority
  }
}

/// Walks down a value of which nothing is known, and remembers where it is.
private struct AnyReader {
  private var keys: [String] = []

  mutating func read(_ value: Any?) throws(TreeError) -> NewValue {
    guard let value = flattened(value) else { return .null }
    if let known = value as? any NewValueConvertible { return NewValue(try checked(known.newValue)) }
    if let value = value as? any TreeValueConvertible {
      return try located { () throws(TreeError) in try value.newValue() }
    }
    switch value {
    case let value as NewValue: return value
    case let value as Value: return NewValue(value)
    case let members as [String: Any?]: return try object(members)
    case let elements as [Any?]: return try array(elements)
    default: throw failure("a value of the type \(typeName(value)) cannot be stored")
    }
  }

  private func checked(_ scalar: Scalar?) throws(TreeError) -> Scalar {
    guard let scalar else { throw failure("an integer does not fit into 64 bits") }
    return try located { () throws(TreeError) in try scalar.normalized() }
  }

  /// Says where it was, of what goes wrong.
  private func located<R>(_ body: () throws(TreeError) -> R) throws(TreeError) -> R {
    do throws(TreeError) {
      return try body()
    } catch {
      throw TreeError(error.code, "\(place): \(error.context)", advice: error.advice)
    }
  }

  private mutating func array(_ elements: [Any?]) throws(TreeError) -> NewValue {
    var members: [NewValue.Member] = []
    for (index, element) in elements.enumerated() {
      let key = Key(index: index)
      members.append(NewValue.Member(key, try member(key.text, element)))
    }
    return NewValue(members: members)
  }

  private mutating func member(_ name: String, _ value: Any?) throws(TreeError) -> NewValue {
    guard keys.count < Limits.pathLevels else {
      throw TreeError(
        .limitExceeded, "\(place): a value is deeper than \(Limits.pathLevels) levels", advice: "Use a flatter tree.")
    }
    keys.append(name)
    let result = try read(value)
    keys.removeLast()
    return result
  }

  private mutating func object(_ members: [String: Any?]) throws(TreeError) -> NewValue {
    var special: [String: NewValue] = [:]
    var plain: [NewValue.Member] = []
    for (name, value) in members {
      if name.utf8.elementsEqual(".sv".utf8) {
        guard members.count == 1 else { throw failure(".sv has company") }
        return NewValue(content: try serverValue(value))
      }
      if name.utf8.elementsEqual(".value".utf8) || name.utf8.elementsEqual(".priority".utf8) {
        special[name] = try member(name, value)
        continue
      }
      let key: Key
      do throws(TreeError) {
        key = try Key(name)
      } catch {
        throw TreeError(error.code, "\(place): \(error.context)", advice: error.advice)
      }
      plain.append(NewValue.Member(key, try member(name, value)))
    }
    return try assembled(plain, leaf: special[".value"], priority: special[".priority"])
  }

  private func assembled(
    _ members: [NewValue.Member], leaf: NewValue?, priority given: NewValue?
  ) throws(TreeError) -> NewValue {
    var priority: NewValue.Priority?
    if let given {
      guard let read = NewValue.Priority(given) else {
        throw failure("a priority has to be null, a number, a string or a server value")
      }
      priority = read
    }
    guard let leaf else { return NewValue(members: members, priority: priority) }
    if case .object = leaf.content { throw failure(".value has to be a value without children") }
    guard members.isEmpty, leaf.priority == nil else { throw failure(".value has company") }
    return NewValue(content: leaf.content, priority: leaf.content == .null ? nil : priority)
  }

  private func serverValue(_ value: Any?) throws(TreeError) -> NewValue.Content {
    switch flattened(value) {
    case let text as String where text.utf8.elementsEqual("timestamp".utf8): return .timestamp
    case let members as [String: Any?] where members.count == 1:
      if let delta = flattened(members["increment"] ?? nil) as? any NewValueConvertible {
        let number = try checked(delta.newValue)
        if number.isNumber { return .increment(number) }
      }
    default: break
    }
    throw failure("a server value that is not known", advice: "There are \"timestamp\" and {\"increment\": a number}.")
  }

  private var place: String { keys.isEmpty ? "at the value itself" : "at \(keys.joined(separator: "/"))" }

  private func failure(_ problem: String, advice: String = "") -> TreeError {
    TreeError(.invalidArgument, "\(place): \(problem)", advice: advice)
  }
}

private func typeName(_ value: Any?) -> String { flattened(value).map { String(describing: type(of: $0)) } ?? "nil" }

/// Takes an optional inside `Any` apart.
private func flattened(_ value: Any?) -> Any? {
  // What is cast must be no optional itself: a cast of one to what every optional is always succeeds.
  guard let value else { return nil }
  guard let inner = value as? any OptionalValue else { return value }
  return flattened(inner.wrapped)
}

private protocol OptionalValue {
  var wrapped: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var wrapped: Any? { map { $0 as Any } }
}

/// A type whose values are scalars.
private protocol NewValueConvertible {
  /// Nil for an integer that does not fit.
  var newValue: Scalar? { get }
}

extension Scalar: NewValueConvertible { fileprivate var newValue: Scalar? { self } }
extension Bool: NewValueConvertible { fileprivate var newValue: Scalar? { .bool(self) } }
extension String: NewValueConvertible { fileprivate var newValue: Scalar? { .string(self) } }
extension Substring: NewValueConvertible { fileprivate var newValue: Scalar? { .string(String(self)) } }
extension Key: NewValueConvertible { fileprivate var newValue: Scalar? { .string(text) } }
extension Double: NewValueConvertible { fileprivate var newValue: Scalar? { .double(self) } }
extension Float: NewValueConvertible { fileprivate var newValue: Scalar? { .double(Double(self)) } }

extension BinaryInteger {
  fileprivate var newValue: Scalar? { Int64(exactly: self).map { .int($0) } }
}
extension Int: NewValueConvertible {}
extension Int8: NewValueConvertible {}
extension Int16: NewValueConvertible {}
extension Int32: NewValueConvertible {}
extension Int64: NewValueConvertible {}
extension UInt: NewValueConvertible {}
extension UInt8: NewValueConvertible {}
extension UInt16: NewValueConvertible {}
extension UInt32: NewValueConvertible {}
extension UInt64: NewValueConvertible {}
