/// The objects that are open while leaves come in key order: those that a leaf shares with the one before stay open.
struct OpenObjects {
  private let base: Int
  /// The path of the innermost one.
  private var path: [UInt8]
  /// Where the keys of the open ones end in `path`.
  private var ends: [Int] = []

  init(below path: PathKey) {
    base = path.bytes.count
    self.path = path.bytes
  }

  var count: Int { ends.count }
  /// Where the next key starts.
  var end: Int { ends.last ?? base }
  /// The key of the innermost one.
  var key: Key {
    let start = ends.count > 1 ? ends[ends.count - 2] : base
    return unsafe PathKey.key(of: path.span.bytes.extracting(start..<end))
  }

  /// How many are above the leaf at `key` as well.
  func count(sharedWith key: RawSpan) -> Int {
    var count = ends.count
    if count == 0 { return 0 }
    let common = UTF8Text.commonPrefix(path.span, Span<UInt8>(_bytes: key))
    while count > 0, ends[count - 1] > common || ends[count - 1] >= key.byteCount { count -= 1 }
    return count
  }

  /// Opens the object whose path is the first `end` bytes of `key`.
  mutating func open(_ key: RawSpan, to end: Int) {
    unsafe key.extracting(self.end..<end).withUnsafeBytes { unsafe path.append(contentsOf: $0) }
    ends.append(end)
  }

  /// Closes the innermost one.
  mutating func close() {
    ends.removeLast()
    path.removeLast(path.count - end)
  }
}
