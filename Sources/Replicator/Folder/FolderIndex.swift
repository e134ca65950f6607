internal import OfflineTree

/// What stands in a shared folder, as far as headers say: kept between looks, so that only what is new is opened.
///
/// A listing is a hint: what is missing from it is forgotten here, and means nothing for the database.
struct FolderIndex {
  enum Content: Sendable {
    case segment(SealedHeader)
    case acknowledgement(PeerIdentity, counter: UInt64)
    case checkpoint(CheckpointPart)
    case chunk(ChunkFile)
    /// Sealed in an epoch whose key is not here: of another space, or of this one and the key has not come yet.
    case locked(EpochID)
    /// Not of this program.
    case foreign
    /// Empty, or shorter than it says: it is tried again.
    case incomplete
    /// Not what it must be: it is tried again as well, since a carrier may bring it anew.
    case unreadable(TreeError)
  }

  struct Entry: Sendable {
    let name: FolderName
    var stamp: FileStamp
    var content: Content
    /// The whole file was read and is right.
    var isVerified = false
    /// The database has the segment's last change. Never taken back: databases do not forget.
    var isHeld = false
    /// How far the database has it, if the rest waits for something that is missing.
    var heldThrough: LogPosition?
    /// It was looked through for keys, and need not be again.
    var isSearched = false
    var failures = 0
    /// Nanoseconds of the monotonic clock; not looked at again before, unless its stamp changes.
    var notBefore: UInt64 = 0
  }

  struct Interest: Sendable {
    /// The home whose index this is: of its own acknowledgement all is kept, if it is in its own folder.
    var own: PeerIdentity?
    /// Of others' acknowledgements, what they have of these logs.
    var logs: Set<LogID> = []
  }

  /// Files beyond this number are left out, and the user is told.
  static let maximumFiles = 200_000
  /// The same for homes that acknowledge: a member can have as many as it likes.
  static let maximumHomes = 4_096

  let root: String
  let files: any Files
  /// What files can be opened with.
  var keys: [EpochID: EpochKeys] = [:]
  var entries: [FolderName: Entry] = [:]
  /// What of acknowledgements is of use here.
  var interest = Interest()
  /// The newest that each home ever said, as long as this index lives and there is room.
  private(set) var acknowledgements: [PeerIdentity: Acknowledgement] = [:]
  /// Was there ever an acknowledgement that had no room?
  private(set) var isUnheard = false
  /// Folders and files that could not be looked at, by name.
  var problems: [SyncReport.Refusal] = []
  var isOverfull = false
  /// Names of the folders below the root.
  var folders: [String] = []

  init(root: String, files: any Files = SystemFiles()) {
    self.root = root
    self.files = files
  }

  /// Epochs in which files are sealed that do not open.
  var lockedEpochs: Set<EpochID> {
    Set(entries.values.compactMap { if case .locked(let epoch) = $0.content { epoch } else { nil } })
  }

  var hasLocked: Bool {
    entries.values.contains { if case .locked = $0.content { true } else { false } }
  }

  func path(_ name: FolderName) -> String { "\(root)/\(name)" }

  /// Segments of this space that look whole and did not fail.
  var segments: some Sequence<(entry: Entry, header: SealedHeader)> {
    entries.values.lazy.compactMap { entry in
      if case .segment(let header) = entry.content { (entry, header) } else { nil }
    }
  }

  /// Parts of checkpoints of this space that look whole and did not fail.
  var checkpointParts: some Sequence<(entry: Entry, part: CheckpointPart)> {
    entries.values.lazy.compactMap { entry in
      if case .checkpoint(let part) = entry.content { (entry, part) } else { nil }
    }
  }

  /// Chunks of files of this space that look whole and did not fail.
  var chunks: some Sequence<(entry: Entry, chunk: ChunkFile)> {
    entries.values.lazy.compactMap { entry in
      if case .chunk(let chunk) = entry.content { (entry, chunk) } else { nil }
    }
  }

  /// Keeps what a home says, if it is news.
  mutating func hear(_ acknowledgement: Acknowledgement, in name: FolderName) {
    let peer = acknowledgement.peer
    let before = acknowledgements[peer]
    if let before, before.counter >= acknowledgement.counter { return }
    if peer.homeToken == interest.own?.homeToken {
      // A copy elsewhere does not say that ours is in its place; and a token of ours beside another device's key is a lie.
      let isOwn = peer == interest.own && name.isIn(hexadecimal(peer.homeToken.bytes))
      if isOwn { acknowledgements[peer] = acknowledgement }
      return
    }
    guard before != nil || acknowledgements.count < Self.maximumHomes else {
      isUnheard = true
      return
    }
    acknowledgements[peer] = acknowledgement.limited(to: interest.logs)
  }

  /// Of each device the one that it wrote last, whatever home it had then; in an order that stays.
  var newestAcknowledgements: [(key: PeerIdentity, value: Acknowledgement)] {
    var newest: [Bytes32: (key: PeerIdentity, value: Acknowledgement)] = [:]
    // Counters are not below the wall clock: they rise from one home of a device to its next.
    for word in acknowledgements {
      if let known = newest[word.key.deviceKey] {
        if known.value.counter > word.value.counter { continue }
        if known.value.counter == word.value.counter, known.key < word.key { continue }
      }
      newest[word.key.deviceKey] = word
    }
    return newest.values.sorted { $0.key < $1.key }
  }

  /// Forgets homes of which no file is left, so that others have room.
  mutating func forgetGoneHomes() {
    let there = Set(
      entries.values.compactMap { entry in
        if case .acknowledgement(let peer, _) = entry.content { peer } else { nil }
      })
    acknowledgements = acknowledgements.filter { there.contains($0.key) || $0.key == interest.own }
  }

  /// Notes that a file is not what it must be, and when to try again.
  mutating func fail(_ name: FolderName, _ content: Content, now: UInt64) {
    entries[name]?.fail(content, now: now)
  }
}

extension FolderIndex.Entry {
  /// Tried again after 1 s, then after twice as long each time, up to 10 minutes.
  mutating func fail(_ content: FolderIndex.Content, now: UInt64) {
    self.content = content
    isVerified = false
    notBefore = now &+ min(UInt64(1_000_000_000) << UInt64(min(failures, 20)), 600_000_000_000)
    failures += 1
  }

  var isFailing: Bool {
    switch content {
    case .incomplete, .unreadable: true
    case .segment, .acknowledgement, .checkpoint, .chunk, .locked, .foreign: false
    }
  }

  /// Is it not what was once written?
  var isDamaged: Bool {
    if case .unreadable(let error) = content { error.code == .damaged } else { false }
  }

  func isDue(_ now: UInt64) -> Bool { isFailing && now >= notBefore }
}
