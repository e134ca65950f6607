/// Where a node is in the tree: the keys from the root down to it.
///
/// A path is always within the limits: 768 UTF-8 bytes, one separator counted for each key, and 32 levels.
public struct Path: Hashable, Sendable {
  public let keys: [Key]

  public static let root = Path(trusted: [])

  /// - Throws: `limitExceeded` if the path is too long or too deep.
  /// - Complexity: O(length).
  public init(_ keys: [Key]) throws(TreeError) {
    try Path.check(bytes: keys.reduce(keys.count) { $0 + $1.text.utf8.count }, levels: keys.count)
    self.keys = keys
  }

  /// Parses "a/b/c". Slashes at either end and repeated ones are dropped.
  /// - Throws: `invalidArgument` for a key that cannot be one, `limitExceeded` for a path too long or too deep.
  /// - Complexity: O(length).
  public init(_ text: String) throws(TreeError) {
    var keys: [Key] = []
    var rest = text.utf8[...]
    while let start = rest.firstIndex(where: { $0 != UInt8(ascii: "/") }) {
      let end = rest[start...].firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      do throws(TreeError) {
        keys.append(try Key(String(Substring(rest[start..<end]))))
      } catch {
        throw TreeError(
          error.code, "the path \"\(UTF8Text.excerpt(text.utf8))\": \(error.context)", advice: error.advice)
      }
      rest = rest[end...]
    }
    try self.init(keys)
  }

  /// For keys of a path that is within the limits already.
  init(trusted keys: [Key]) {
    self.keys = keys
  }

  static func check(bytes: Int, levels: Int) throws(TreeError) {
    if bytes > Limits.pathBytes {
      throw TreeError(
        .limitExceeded, "a path of \(bytes) bytes is longer than \(Limits.pathBytes)", advice: "Use shorter keys.")
    }
    if levels > Limits.pathLevels {
      throw TreeError(
        .limitExceeded, "a path of \(levels) levels is deeper than \(Limits.pathLevels)",
        advice: "Use a flatter tree.")
    }
  }
}

extension Path {
  public var isRoot: Bool { keys.isEmpty }

  /// The last key; nil at the root.
  public var key: Key? { keys.last }

  /// The path one level up; nil at the root.
  public var parent: Path? { keys.isEmpty ? nil : Path(trusted: Array(keys.dropLast())) }

  /// - Throws: `limitExceeded` if the child would be too long or too deep.
  public func child(_ key: Key) throws(TreeError) -> Path { try Path(keys + [key]) }

  /// Goes down by a text like "a/b".
  /// - Throws: what `init(_:)` throws.
  public func child(_ text: String) throws(TreeError) -> Path { try appending(try Path(text)) }

  /// - Throws: `limitExceeded` if the result would be too long or too deep.
  public func appending(_ path: Path) throws(TreeError) -> Path { try Path(keys + path.keys) }

  /// Whether this is `ancestor` or lies below it.
  /// - Complexity: O(length of `ancestor`).
  public func starts(with ancestor: Path) -> Bool { keys.starts(with: ancestor.keys) }
}

extension Path: CustomStringConvertible {
  /// The keys with "/" between them; empty at the root.
  public var description: String { keys.map(\.text).joined(separator: "/") }
}
