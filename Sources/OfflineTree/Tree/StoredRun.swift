/// A row of the table `run`, opened: consecutive changes of one log, or what stays where they were dropped.
///
/// ```
/// plain   hash before the first 32 ‖ count u32 ‖ end of each change, counted from the first one's start, u32 ‖ changes
/// packed  hash before 32 ‖ count u32, bit 31 set ‖ opened bytes u32 ‖ one zstd frame of: varint length of each change ‖
///         changes
/// gap     hash before 32 ‖ count u32, bit 30 set ‖ varint count of changes that stay; of each: varint offset ‖
///         hash before 32 ‖ the change, prefixed ‖ varint count of authors that stay; of each: varint offset ‖ author,
///         prefixed
/// ```
struct StoredRun: Sendable {
  enum Form: Equatable, Sendable {
    case plain
    case packed
    case gap
  }

  /// A change that stays where others were dropped.
  struct Kept: Equatable, Sendable {
    let offset: Int
    let hashBefore: Bytes32
    let body: ArraySlice<UInt8>
  }

  static let packedMark: UInt32 = 1 << 31
  static let gapMark: UInt32 = 1 << 30
  /// Opened bytes of a packed row of several changes, and changes in one, at most.
  static let packedBytes = 4 << 20
  static let packedCount = 16_384
  /// Bytes of a change that stays in a gap, at least: its offset, the hash before it and its length.
  private static let leastKeptBytes = 34

  let log: Int
  let first: UInt64
  let hashBefore: Bytes32
  let form: Form
  let count: Int
  /// None in a gap.
  let bodies: [ArraySlice<UInt8>]
  /// In a gap.
  let kept: [Kept]
  /// In a gap: who had acted in changes that made elements.
  let authors: [Int: [UInt8]]

  var next: UInt64 { first + UInt64(count) }
  var isGap: Bool { form == .gap }

  init(key: [UInt8], row: [UInt8]) throws(TreeError) {
    guard key.count == 12 else { throw TreeError(.damaged, "a row of changes has a key of \(key.count) bytes") }
    log = Int(RowKey.number(key[..<4]))
    first = RowKey.number(key[4...])
    var reader = ByteReader(row)
    hashBefore = try reader.bytes32("hash before a run")
    let mark = try reader.u32("count of changes")
    let count = Int(mark & ~(StoredRun.packedMark | StoredRun.gapMark))
    guard count > 0 else { throw reader.damaged("count of changes", "is 0") }
    self.count = count
    switch (mark & StoredRun.packedMark != 0, mark & StoredRun.gapMark != 0) {
    case (false, false):
      form = .plain
      (bodies, kept, authors) = (try StoredRun.plain(count, row, &reader), [], [:])
    case (true, false):
      form = .packed
      (bodies, kept, authors) = (try StoredRun.packed(count, row, &reader), [], [:])
    case (false, true):
      form = .gap
      bodies = []
      kept = try StoredRun.kept(count, &reader)
      authors = try StoredRun.authors(count, &reader)
    case (true, true): throw reader.damaged("form of a run", "is none that this version knows")
    }
  }

  private static func plain(
    _ count: Int, _ row: [UInt8], _ reader: inout ByteReader
  ) throws(TreeError) -> [ArraySlice<UInt8>] {
    guard count <= reader.remaining / 4 else { throw reader.damaged("count of changes", "is \(count)") }
    var ends: [Int] = []
    ends.reserveCapacity(count)
    for _ in 0..<count { ends.append(Int(try reader.u32("end of a change"))) }
    let base = row.count - reader.remaining
    var bodies: [ArraySlice<UInt8>] = []
    bodies.reserveCapacity(count)
    var start = 0
    for end in ends {
      guard start <= end, end <= row.count - base else { throw reader.damaged("end of a change", "is \(end)") }
      bodies.append(row[base + start..<base + end])
      start = end
    }
    return bodies
  }

  private static func packed(
    _ count: Int, _ row: [UInt8], _ reader: inout ByteReader
  ) throws(TreeError) -> [ArraySlice<UInt8>] {
    let length = Int(try reader.u32("opened bytes"))
    guard count <= packedCount, length <= Limits.segmentBytes else {
      throw reader.damaged("a packed run", "has \(count) changes in \(length) bytes")
    }
    let bytes = try Zstd.decompress(row[(row.count - reader.remaining)...], byteCount: length)
    var opened = ByteReader(bytes)
    var lengths: [Int] = []
    lengths.reserveCapacity(count)
    for _ in 0..<count { lengths.append(try opened.count("length of a change", limit: length)) }
    var start = bytes.count - opened.remaining
    var bodies: [ArraySlice<UInt8>] = []
    bodies.reserveCapacity(count)
    for length in lengths {
      guard length <= bytes.count - start else { throw opened.damaged("length of a change", "is \(length)") }
      bodies.append(bytes[start..<start + length])
      start += length
    }
    guard start == bytes.count else { throw opened.damaged("a packed run", "has bytes left over") }
    return bodies
  }

  private static func kept(_ count: Int, _ reader: inout ByteReader) throws(TreeError) -> [Kept] {
    // What is reserved is no more than there are bytes for.
    let limit = min(count, reader.remaining / leastKeptBytes)
    return try (0..<(try reader.count("changes that stay", limit: limit))).map { _ throws(TreeError) in
      let offset = try reader.count("offset of a change", limit: count - 1)
      let before = try reader.bytes32("hash before a change")
      return Kept(
        offset: offset, hashBefore: before,
        body: ArraySlice(try reader.prefixed("change", limit: Limits.changeBytes)))
    }
  }

  private static func authors(_ count: Int, _ reader: inout ByteReader) throws(TreeError) -> [Int: [UInt8]] {
    var authors: [Int: [UInt8]] = [:]
    for _ in 0..<(try reader.count("authors that stay", limit: count)) {
      let offset = try reader.count("offset of an author", limit: count - 1)
      authors[offset] = Array(try reader.prefixed("author", limit: Limits.pathBytes))
    }
    return authors
  }
}

extension StoredRun {
  /// The bytes of a change of the run; nil if they were dropped.
  func body(of seq: UInt64) -> ArraySlice<UInt8>? {
    guard seq >= first, seq < next else { return nil }
    let offset = Int(seq - first)
    return isGap ? kept.first { $0.offset == offset }?.body : bodies[offset]
  }

  /// The hash of a change of the run; nil if it was dropped.
  func hash(of seq: UInt64, introduced: LogID) -> Bytes32? {
    guard isGap else { return hash(before: seq + 1, introduced: introduced) }
    let offset = Int(seq - first)
    if let following = kept.first(where: { $0.offset == offset + 1 }) { return following.hashBefore }
    guard let own = kept.first(where: { $0.offset == offset }) else { return nil }
    return Change.hash(log: introduced, seq: seq, previous: own.hashBefore, body: own.body)
  }

  /// The hash of each change.
  /// - Precondition: none of them was dropped.
  func hashes(introduced: LogID) -> [Bytes32] {
    var hash = hashBefore
    return bodies.enumerated().map { offset, body in
      hash = Change.hash(log: introduced, seq: first + UInt64(offset), previous: hash, body: body)
      return hash
    }
  }

  /// The hash of the change before number `seq`, which is in the run or just behind it.
  /// - Precondition: none of those before it in the run was dropped.
  func hash(before seq: UInt64, introduced: LogID) -> Bytes32 {
    var hash = hashBefore
    for (offset, body) in bodies.enumerated() where first + UInt64(offset) < seq {
      hash = Change.hash(log: introduced, seq: first + UInt64(offset), previous: hash, body: body)
    }
    return hash
  }
}

extension StoredRun {
  /// The form of a row, by its count alone.
  static func form(of row: RawSpan) -> Form {
    guard row.byteCount >= 36 else { return .plain }
    let top = unsafe row.unsafeLoad(fromByteOffset: 35, as: UInt8.self)
    return top & 0x80 != 0 ? .packed : top & 0x40 != 0 ? .gap : .plain
  }

  /// How many changes a gap's row says were dropped, by its mark alone; nil for another row.
  static func gapCount(of row: [UInt8]) -> Int? {
    guard row.count >= 36 else { return nil }
    let mark = (0..<4).reduce(UInt32(0)) { $0 | UInt32(row[32 + $1]) << UInt32(8 * $1) }
    return mark & packedMark == 0 && mark & gapMark != 0 ? Int(mark & ~gapMark) : nil
  }

  /// A packed row.
  static func packedRow(
    _ bodies: some Collection<ArraySlice<UInt8>>, hashBefore: Bytes32
  ) throws(TreeError) -> [UInt8] {
    let length = bodies.reduce(0) { $0 + $1.count }
    var opened = ByteWriter(capacity: length + 2 * bodies.count)
    for body in bodies { opened.varint(body.count) }
    for body in bodies { opened.append(body) }
    var writer = ByteWriter(capacity: length / 2)
    writer.append(hashBefore)
    writer.u32(UInt32(bodies.count) | packedMark)
    writer.u32(UInt32(opened.bytes.count))
    writer.append(try Zstd.compress(opened.bytes))
    return writer.bytes
  }

  /// A row that says that changes were dropped.
  static func gapRow(count: Int, hashBefore: Bytes32, kept: [Kept], authors: [(offset: Int, author: [UInt8])])
    -> [UInt8]
  {
    var writer = ByteWriter()
    writer.append(hashBefore)
    writer.u32(UInt32(count) | gapMark)
    writer.varint(kept.count)
    for change in kept {
      writer.varint(change.offset)
      writer.append(change.hashBefore)
      writer.varint(change.body.count)
      writer.append(change.body)
    }
    writer.varint(authors.count)
    for (offset, author) in authors {
      writer.varint(offset)
      writer.prefixed(author)
    }
    return writer.bytes
  }
}

/// The hashes of one stored run, kept while its changes are asked for one after another.
struct RunHashes: Sendable {
  let log: Int
  let first: UInt64
  let hashes: [Bytes32]

  subscript(dot: Dot) -> Bytes32? {
    guard dot.log == log, dot.seq >= first, dot.seq - first < UInt64(hashes.count) else { return nil }
    return hashes[Int(dot.seq - first)]
  }
}
