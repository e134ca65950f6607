extension ReadTransaction {
  /// The value at a path as JSON in UTF-8, members in key order: the bytes of `value(at:)`'s `jsonBytes`, and cheaper,
  /// since no value is made.
  /// - Parameter pretty: With two spaces for each level, instead of compact.
  /// - Complexity: O(size of the value).
  public func jsonBytes(at path: Path, pretty: Bool = false) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try writeJSON(at: path, pretty: pretty) { bytes += $0 }
    return bytes
  }

  /// The same as a string.
  public func json(at path: Path, pretty: Bool = false) throws -> String {
    String(decoding: try jsonBytes(at: path, pretty: pretty), as: UTF8.self)
  }

  /// The same piece by piece, for values that are larger than memory should hold.
  ///
  /// - Parameter output: Called with the text from its beginning to its end, at least once. It does not write
  ///   to the database.
  /// - Throws: What `output` throws, and what reading throws.
  public func writeJSON(at path: Path, pretty: Bool = false, to output: ([UInt8]) throws -> Void) throws {
    let key = PathKey(path)
    try withRows(touching: key) { rows, _ in try TreeReader.writeJSON(at: key, pretty: pretty, rows, to: output) }
  }
}
