extension PathKey {
  package var isRoot: Bool { bytes.isEmpty }

  /// Where the key that starts at `start` ends.
  @inline(__always)
  func componentEnd(from start: Int) -> Int { unsafe PathKey.componentEnd(in: bytes.span.bytes, from: start) }

  /// Where the key that starts at `start` ends in the bytes of a row's key.
  @inline(__always)
  static func componentEnd(in bytes: RawSpan, from start: Int) -> Int {
    let isInteger = unsafe bytes.unsafeLoad(fromByteOffset: start, as: UInt8.self) == integerMark
    if isInteger { return min(start + integerSize, bytes.byteCount) }
    var index = start + 1
    while index < bytes.byteCount, unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self) != end { index += 1 }
    return min(index + 1, bytes.byteCount)
  }

  /// How many keys the path has.
  /// - Complexity: O(length), as all that follow.
  package var levels: Int {
    var count = 0
    var start = 0
    while start < bytes.count {
      start = componentEnd(from: start)
      count += 1
    }
    return count
  }

  /// The offset after each key: the path of the first n keys is `bytes[..<componentEnds[n - 1]]`.
  package var componentEnds: [Int] {
    var ends: [Int] = []
    var start = 0
    while start < bytes.count {
      start = componentEnd(from: start)
      ends.append(start)
    }
    return ends
  }

  /// Where the last key starts; nil at the root.
  var lastStart: Int? {
    var last: Int?
    var start = 0
    while start < bytes.count {
      last = start
      start = componentEnd(from: start)
    }
    return last
  }

  /// The path one level up; nil at the root.
  package var parent: PathKey? { lastStart.map { PathKey(trusted: bytes[..<$0]) } }

  /// All that this path is below, from the root down, without itself; empty at the root.
  package var ancestors: [PathKey] {
    guard !isRoot else { return [] }
    return [.root] + componentEnds.dropLast().map { PathKey(trusted: bytes[..<$0]) }
  }

  /// Whether `other` is this path or lies below it.
  package func isPrefix(of other: PathKey) -> Bool { isPrefix(of: other.bytes) }

  /// The same for the bytes of a row's key.
  package func isPrefix(of other: [UInt8]) -> Bool {
    bytes.count <= other.count && UTF8Text.commonPrefix(bytes.span, other.span) == bytes.count
  }

  /// Whether `other`, the bytes of a row's key, is this path or lies above it.
  func starts(with other: RawSpan) -> Bool {
    guard other.byteCount <= bytes.count else { return false }
    for index in 0..<other.byteCount
    where unsafe other.unsafeLoad(fromByteOffset: index, as: UInt8.self) != bytes[index] {
      return false
    }
    return true
  }

  /// The last key; nil at the root.
  package var lastKey: Key? { lastStart.map { key(in: $0..<bytes.count) } }

  /// The key at `level`, 0 being the topmost; nil beyond the path's levels.
  package func key(at level: Int) -> Key? {
    guard level >= 0 else { return nil }
    var start = 0
    var index = 0
    while start < bytes.count {
      let end = componentEnd(from: start)
      if index == level { return key(in: start..<end) }
      (start, index) = (end, index + 1)
    }
    return nil
  }

  package var path: Path {
    var keys: [Key] = []
    var start = 0
    while start < bytes.count {
      let end = componentEnd(from: start)
      keys.append(key(in: start..<end))
      start = end
    }
    return Path(trusted: keys)
  }

  func key(in range: Range<Int>) -> Key { unsafe PathKey.key(of: bytes.span.bytes.extracting(range)) }

  /// The key that one component of a row's key stands for.
  static func key(of component: RawSpan) -> Key {
    if component.byteCount > 0, unsafe component.unsafeLoad(as: UInt8.self) == fileMark {
      return Key(trusted: filesName)
    }
    if isInteger(component) {
      var text: [UInt8] = []
      appendInteger(of: component, to: &text)
      return Key(trusted: String(decoding: text, as: UTF8.self))
    }
    let content = content(of: component)
    let text = unsafe content.withUnsafeBytes { content in
      unsafe String(unsafeUninitializedCapacity: content.count) { text in
        for index in content.indices {
          unsafe text.initializeElement(at: index, to: UTF8Text.unordered(content[index]))
        }
        return content.count
      }
    }
    return Key(trusted: text)
  }

  /// Whether a component of a row's key is an integer.
  @inline(__always)
  static func isInteger(_ component: RawSpan) -> Bool {
    unsafe component.byteCount == integerSize && component.unsafeLoad(as: UInt8.self) == integerMark
  }

  /// What stands between the mark and the end of a component that is no integer.
  @inline(__always)
  @_lifetime(copy component)
  static func content(of component: RawSpan) -> RawSpan {
    component.byteCount < 2 ? component.extracting(first: 0) : component.extracting(1..<component.byteCount - 1)
  }
}
