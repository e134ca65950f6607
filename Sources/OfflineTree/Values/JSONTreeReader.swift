/// Builds trees from the events of a scanner, and knows at which path it is when something is wrong.
struct JSONTreeReader {
  private var scanner: JSONScanner
  private var names: [String] = []

  init(_ scanner: JSONScanner) {
    self.scanner = scanner
  }

  var text: [UInt8] { scanner.text }
  var string: String { scanner.string }

  mutating func next() throws(TreeError) -> JSONScanner.Event { try scanner.next() }

  /// Throws unless the text holds nothing after the value that was read.
  mutating func finish() throws(TreeError) {
    guard try scanner.next() == .end else { throw failure("something follows the value") }
  }

  /// Goes one level down, to the member `name`.
  mutating func enter(_ name: String) { names.append(name) }

  /// Goes one level up. After an error nobody does: the error is what the names are kept for.
  mutating func leave() { names.removeLast() }

  /// The name just read, as a key.
  func key() throws(TreeError) -> Key {
    do throws(TreeError) {
      return try Key(validUTF8: text)
    } catch {
      throw failure(error.context, code: error.code, advice: error.advice)
    }
  }

  func failure(
    _ problem: String, code: TreeError.Code = .invalidArgument, advice: String = ""
  ) -> TreeError {
    let place = "at \"/\(UTF8Text.excerpt(names.joined(separator: "/").utf8))\": "
    return TreeError(code, scanner.failure(place + problem).context, advice: advice)
  }

  /// The scalar that `event` is; nil for null and where an object or array begins.
  func scalar(_ event: JSONScanner.Event) -> Scalar? {
    switch event {
    case .string: .string(string)
    case .int(let value): .int(value)
    case .double(let value): .double(value)
    case .bool(let value): .bool(value)
    default: nil
    }
  }
}
