internal import OfflineTree

/// Documents as the merge model prints them (Python's `json.dumps` without ASCII escapes), so that both can be compared
/// as text.
extension Document {
  /// One line, a space after each comma and colon.
  var line: String {
    switch self {
    case .array(let elements): "[" + elements.map(\.line).joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.map { "\(Document.quoted($0.name)): \($0.value.line)" }.joined(separator: ", ") + "}"
    default: scalarText
    }
  }

  /// One space for each level.
  func indented(_ level: Int = 0) -> String {
    let (inner, outer) = (String(repeating: " ", count: level + 1), String(repeating: " ", count: level))
    switch self {
    case .array(let elements) where !elements.isEmpty:
      let lines = elements.map { inner + $0.indented(level + 1) }
      return "[\n" + lines.joined(separator: ",\n") + "\n\(outer)]"
    case .object(let members) where !members.isEmpty:
      let lines = members.map { "\(inner)\(Document.quoted($0.name)): \($0.value.indented(level + 1))" }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(outer)}"
    default: return line
    }
  }

  private var scalarText: String {
    switch self {
    case .null, .array, .object: "null"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): value.description
    case .double(let value): Document.text(value)
    case .string(let value): Document.quoted(value)
    }
  }

  private static func quoted(_ text: String) -> String {
    var writer = JSONWriter()
    writer.string(text)
    return String(decoding: writer.take(), as: UTF8.self)
  }

  /// Shortest digits; from 1e16 on with an exponent, where Swift begins at 2^54.
  private static func text(_ value: Double) -> String {
    let text = value.description
    guard value.magnitude >= 1e16, !text.contains("e") else { return text }
    let isNegative = text.hasPrefix("-")
    var digits = Array(text.dropFirst(isNegative ? 1 : 0).dropLast(2))
    let exponent = digits.count - 1
    while digits.last == "0" { digits.removeLast() }
    let fraction = digits.count > 1 ? "." + String(digits[1...]) : ""
    return "\(isNegative ? "-" : "")\(digits[0])\(fraction)e+\(exponent)"
  }
}
