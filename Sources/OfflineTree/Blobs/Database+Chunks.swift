/// What replication asks of chunks.
extension Database {
  /// Chunks and manifests that are wanted and not here: what somebody waits for first, then what the home's setting asks
  /// for, in the order of names.
  ///
  /// - Parameters:
  ///   - limit: At most so many.
  ///   - absent: Not these.
  ///   - asker: Who asks for them next. What another asker was given lately is left out.
  ///   - isAlone: Nothing is left out: who asks does not come back.
  /// - Returns: Also whether something was left out because somebody else asks for it.
  /// - Complexity: O(files and chunks that are here), unless nothing has changed since the last look that found nothing.
  package func wantedChunks(
    limit: Int, without absent: Set<Bytes32>, asker: ObjectIdentifier, isAlone: Bool = false
  ) throws(TreeError) -> (ids: [Bytes32], isMore: Bool) {
    let needs = chunkNeeds
    let time = environment.monotonicClock()
    let (found, complete) = try view { rows, _ in
      var look = try ChunkLook(rows, limit: limit, without: absent, needs: needs, isAlone ? nil : asker, time)
      if !needs.isSettled(look.state) { try look.run(rows) }
      return (look, look.complete)
    }
    if found.isWhole { needs.settle(found.state) }
    if !complete.isEmpty {
      let changes = found.state.changes
      do {
        try queue.submit { rows, _ in
          // Who collects may have been here since the look.
          guard try Replica.fileChanges(rows) == changes else { return }
          for id in complete {
            try rows.put(.mark, ChunkMark.complete(id), [])
            try rows.delete(.mark, ChunkMark.wanted(id))
          }
        }
      } catch {
        throw (error as? TreeError) ?? TreeError(.internal, "cannot note that a file is here", underlying: "\(error)")
      }
    }
    needs.note(found.ids, asker, time)
    return (found.ids, found.isMore)
  }

  /// Whoever asked for chunks is gone, or has what it asked for.
  package func releaseChunks(_ ids: [Bytes32], asker: ObjectIdentifier) { chunkNeeds.release(ids, asker) }

  /// A chunk as it travels, or nil if it is not here.
  package func chunkForm(_ id: Bytes32) throws(TreeError) -> [UInt8]? {
    try viewForOthers { rows, _ in try rows.get(.chunk, id.bytes) }
  }

  /// Those that are here.
  package func chunksHere(_ ids: [Bytes32]) throws(TreeError) -> [Bytes32] {
    try viewForOthers { rows, _ in try ids.filter { try rows.hasChunk($0) } }
  }

  /// Keeps what others sent, each held against its id first.
  /// - Returns: What was not what it should be.
  package func keep(chunks: [(id: Bytes32, form: [UInt8])]) throws(TreeError) -> [(id: Bytes32, error: TreeError)] {
    var (good, refused): ([Chunk], [(id: Bytes32, error: TreeError)]) = ([], [])
    for (id, form) in chunks {
      do throws(TreeError) {
        good.append(try Chunk(form: form, id: id, space: spaceID))
      } catch {
        refused.append((id, error))
      }
    }
    let kept = good
    if kept.isEmpty { return refused }
    do {
      try queue.submit { rows, _ in for chunk in kept { try rows.keep(chunk) } }
    } catch {
      throw (error as? TreeError) ?? TreeError(.internal, "cannot keep a chunk", underlying: "\(error)")
    }
    return refused
  }

  var chunkNeeds: ChunkNeeds { attachment(ChunkNeeds.self) { ChunkNeeds() } }
}

/// What this process knows of chunks that are not here.
final class ChunkNeeds: Sendable {
  /// What decides which chunks are wanted.
  struct State: Equatable, Sendable {
    var changes: UInt64
    var fetching: Storage.Fetching
    var wanted: [Bytes32]
  }

  private struct Content {
    var settled: State?
    var asked: [Bytes32: (asker: ObjectIdentifier, time: UInt64)] = [:]
  }

  /// Nanoseconds for which what one asker was given is left out for others.
  static let patience: UInt64 = 20_000_000_000
  private let content = Monitor(Content())

  func isSettled(_ state: State) -> Bool { content.withLock { $0.settled == state } }
  func settle(_ state: State) { content.withLock { $0.settled = state } }

  func isAsked(_ id: Bytes32, byOtherThan asker: ObjectIdentifier, _ time: UInt64) -> Bool {
    content.withLock { content in
      guard let asked = content.asked[id], asked.asker != asker else { return false }
      return time < asked.time &+ Self.patience
    }
  }

  func note(_ ids: [Bytes32], _ asker: ObjectIdentifier, _ time: UInt64) {
    content.withLock { content in
      for id in ids { content.asked[id] = (asker, time) }
      if content.asked.count > 65_536 { content.asked = content.asked.filter { time < $0.value.time &+ Self.patience } }
    }
  }

  func release(_ ids: [Bytes32], _ asker: ObjectIdentifier) {
    content.withLock { content in
      for id in ids where content.asked[id]?.asker == asker { content.asked[id] = nil }
    }
  }
}

/// One look for what is wanted and not here.
private struct ChunkLook {
  let state: ChunkNeeds.State
  private(set) var ids: [Bytes32] = []
  /// Manifests of which all is here, and no row says so yet.
  private(set) var complete: [Bytes32] = []
  /// Was something left out?
  private(set) var isMore = false
  /// Is everything here that is wanted?
  var isWhole: Bool { ids.isEmpty && !isMore && !hasAbsent && complete.isEmpty }

  private let limit: Int
  private let absent: Set<Bytes32>
  private let needs: ChunkNeeds
  /// Nil leaves out nothing that others ask for.
  private let asker: ObjectIdentifier?
  private let time: UInt64
  private var hasAbsent = false
  private var seen: Set<Bytes32> = []

  init(
    _ rows: borrowing StoreTransaction, limit: Int, without absent: Set<Bytes32>, needs: ChunkNeeds,
    _ asker: ObjectIdentifier?, _ time: UInt64
  ) throws(TreeError) {
    (self.limit, self.absent, self.needs, self.asker, self.time) = (limit, absent, needs, asker, time)
    state = ChunkNeeds.State(
      changes: try Replica.fileChanges(rows), fetching: try Storage.Fetching(rows), wanted: try rows.wantedManifests())
  }

  mutating func run(_ rows: borrowing StoreTransaction) throws(TreeError) {
    for id in state.wanted where ids.count < limit { try look(id, ofLength: nil, rows) }
    if state.fetching == .onDemand || ids.count >= limit { return }
    var next = FileName.root.bytes
    while ids.count < limit, let (key, row) = try PathTable.file.first(atLeast: next, below: FileName.root, rows) {
      next = PathTable.successor(of: key)
      if let file = try FileItem.decode(row).first?.content, state.fetching.covers(file) {
        try look(file.manifest, ofLength: file.length, rows)
      }
    }
  }

  /// - Parameter length: What the file says of its content: a list of more is none of it.
  private mutating func look(
    _ manifest: Bytes32, ofLength length: UInt64?, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    if try rows.get(.mark, ChunkMark.complete(manifest)) != nil { return }
    let list: Manifest
    switch try rows.listing(manifest) {
    case .missing: return add(manifest)
    case .none: return
    case .list(let found): list = found
    }
    if let length, list.length != length { return }
    var isComplete = true
    for id in list.ids where try !rows.hasChunk(id) {
      isComplete = false
      add(id)
      if ids.count >= limit { return }
    }
    if isComplete { complete.append(manifest) }
  }

  private mutating func add(_ id: Bytes32) {
    guard seen.insert(id).inserted else { return }
    if absent.contains(id) {
      hasAbsent = true
    } else if let asker, needs.isAsked(id, byOtherThan: asker, time) {
      isMore = true
    } else if ids.count < limit {
      ids.append(id)
    } else {
      isMore = true
    }
  }
}

extension StoreTransaction {
  /// Manifests of what somebody waits for, at most 1,024.
  fileprivate func wantedManifests() throws(TreeError) -> [Bytes32] {
    try withCursor(.mark) { (cursor) throws(TreeError) in
      var ids: [Bytes32] = []
      var isFound = try cursor.seek(atLeast: ChunkMark.wantedPrefix)
      while isFound, ids.count < 1_024, cursor.keyBytes.starts(with: ChunkMark.wantedPrefix) {
        ids.append(Bytes32(cursor.keyBytes.dropFirst()))
        isFound = try cursor.next()
      }
      return ids
    }
  }
}
