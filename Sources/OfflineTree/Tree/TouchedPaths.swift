/// The paths that commits have touched: each as it is, or once they are too many to list, what they are below.
///
/// As bytes, a path that stands for everything below it as well ends in 0xFF, with which no path key ends; the root
/// always does.
struct TouchedPaths: Sendable {
  /// As bytes.
  private(set) var marks: Set<[UInt8]> = []
  /// How many levels are told apart; nil while all are.
  private var depth: Int?
  private var byteCount = 0

  /// Bytes of a list: beyond, the deepest level is no longer told apart, and so on until the rest fits.
  static let byteLimit = 512 << 10
  static let everythingBelow: UInt8 = 0xFF
  /// What a list takes for a path beside its bytes.
  private static let overhead = 2

  var isEmpty: Bool { marks.isEmpty }

  mutating func insert(_ path: PathKey) { insert(mark: path.bytes) }

  mutating func insertEverything() {
    removeAll()
    depth = 0
    insert(.root)
  }

  mutating func formUnion(_ other: TouchedPaths) {
    if let otherDepth = other.depth, otherDepth < depth ?? .max { cut(to: otherDepth) }
    for mark in other.marks { insert(mark: mark) }
  }

  mutating func removeAll() { self = TouchedPaths() }

  private mutating func insert(mark: [UInt8]) {
    let mark = depth.map { Self.cut(mark, to: $0) } ?? mark
    guard marks.insert(mark).inserted else { return }
    byteCount += mark.count + Self.overhead
    while byteCount > Self.byteLimit, depth != 0 { cut(to: (depth ?? deepest) - 1) }
  }

  private var deepest: Int { marks.reduce(1) { max($0, PathKey(trusted: Self.path($1)).levels) } }

  private mutating func cut(to depth: Int) {
    self.depth = max(0, depth)
    marks = Set(marks.map { Self.cut($0, to: max(0, depth)) })
    byteCount = marks.reduce(0) { $0 + $1.count + Self.overhead }
  }

  private static func path(_ mark: [UInt8]) -> ArraySlice<UInt8> {
    mark.last == everythingBelow ? mark.dropLast() : mark[...]
  }

  private static func cut(_ mark: [UInt8], to depth: Int) -> [UInt8] {
    let path = PathKey(trusted: path(mark))
    let ends = [0] + path.componentEnds
    return ends.count > depth ? path.bytes[..<ends[depth]] + [everythingBelow] : mark
  }

  // MARK: Bytes

  var encoded: [UInt8] {
    var writer = ByteWriter()
    for mark in marks { writer.prefixed(mark) }
    return writer.bytes
  }

  /// Calls `body` with each path of a commit's record, and whether it stands for everything below it as well.
  static func forEach(in record: [UInt8], _ body: (PathKey, _ isWhole: Bool) -> Void) throws(TreeError) {
    var reader = ByteReader(record)
    while !reader.isAtEnd {
      let mark = Array(try reader.prefixed("touched path", limit: reader.remaining))
      let path = path(mark)
      body(PathKey(trusted: path), path.isEmpty || path.count < mark.count)
    }
  }
}

/// What the writes of one commit have touched, the newest first: a list, because the state is copied for each write.
final class TouchedList: Sendable {
  private let paths: TouchedPaths
  private let before: TouchedList?

  init(_ paths: TouchedPaths, before: TouchedList?) {
    self.paths = paths
    self.before = before
  }

  var union: TouchedPaths {
    var result = paths
    var next = before
    while let list = next {
      result.formUnion(list.paths)
      next = list.before
    }
    return result
  }
}

extension Replica {
  /// How many commits' records are kept for observers.
  static let commitRing: UInt64 = 256

  /// Hands on what a write has touched; the commit's record holds what all its writes did.
  mutating func noteTouched() {
    guard !touched.isEmpty else { return }
    if committing == nil { commitNumber += 1 }
    committing = TouchedList(touched, before: committing)
    touched.removeAll()
  }

  /// At the end of a commit: signs what is not signed yet, and says what was touched.
  mutating func finishCommit(_ rows: borrowing StoreTransaction) throws(TreeError) {
    try signHeads(rows)
    try recordCommit(rows)
  }

  /// At the end of a commit that signs nothing.
  mutating func recordCommit(_ rows: borrowing StoreTransaction) throws(TreeError) {
    guard let committing else { return }
    try rows.put(.commit, RowKey.commit(commitNumber), committing.union.encoded, append: true)
    self.committing = nil
    if commitNumber > Replica.commitRing { try dropRecords(through: commitNumber - Replica.commitRing, rows) }
  }

  /// A few at a time, since a home of an earlier version may have more of them.
  private func dropRecords(through last: UInt64, _ rows: borrowing StoreTransaction) throws(TreeError) {
    for _ in 0..<8 {
      let first = try rows.withCursor(.commit) { (cursor) throws(TreeError) in
        try cursor.first() ? cursor.keyBytes : nil
      }
      guard let first, RowKey.number(first) <= last else { return }
      try rows.delete(.commit, first)
    }
  }
}
