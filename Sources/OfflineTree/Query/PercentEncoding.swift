/// Names in URLs.
enum PercentEncoding {
  static func encode(_ text: String) -> String {
    var result: [UInt8] = []
    for byte in text.utf8 {
      if isPlain(byte) {
        result.append(byte)
      } else {
        result.append(UInt8(ascii: "%"))
        result.append(contentsOf: hexadecimal([byte]).uppercased().utf8)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// - Throws: `invalidArgument` for what is not percent-encoded UTF-8.
  static func decode(_ text: Substring) throws(TreeError) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        throw TreeError(.invalidArgument, "the URL holds a % that two hexadecimal digits do not follow")
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    guard let result = String(validating: bytes, as: UTF8.self) else {
      throw TreeError(.invalidArgument, "the URL is not UTF-8")
    }
    return result
  }

  /// The names between the slashes, the first of which is the host.
  static func names(of url: String, scheme: String) throws(TreeError) -> [String] {
    guard url.hasPrefix(scheme) else {
      throw TreeError(.invalidArgument, "\(url) does not begin with \(scheme)", advice: "Use a reference's url.")
    }
    var names: [String] = []
    for part in url.dropFirst(scheme.count).split(separator: "/", omittingEmptySubsequences: true) {
      names.append(try decode(part))
    }
    if names.isEmpty { throw TreeError(.invalidArgument, "\(url) names no space") }
    return names
  }
}
