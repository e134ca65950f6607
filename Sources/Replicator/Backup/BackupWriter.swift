internal import OfflineTree

/// Adds to a backup.
struct BackupWriter {
  private let database: Database
  private let file: BackupFile
  private let reader: BackupReader
  private var number: UInt64
  private var end: BackupEnd
  private var report = Backup.Report()
  /// Is there anything behind the last end?
  private var isChanged = false

  /// Bytes of changes that a section is filled up to; one longer run still gets a section of its own.
  private static let sectionBytes = Segment.targetBytes

  /// Cuts off what a run that was broken off has left.
  init(
    _ database: Database, _ file: BackupFile, _ secret: BackupSecret, _ profile: PasswordProfile
  ) throws(TreeError) {
    if try BackupReader.isUnfinished(file) { try Self.begin(file, database, secret, profile) }
    let reader = try BackupReader(file, secret)
    let about = reader.about
    guard about.space == database.spaceID, about.device == database.deviceKey else {
      throw TreeError(
        .refused,
        "\(file.path) is the backup of another \(about.space == database.spaceID ? "device" : "space")",
        advice: "Name another file: each device has its own.")
    }
    let last = try reader.last()
    try reader.requireTorn(last)
    if file.byteCount > last.offset {
      report.cutBytes = file.byteCount - last.offset
      try file.cut(to: last.offset)
    }
    (self.database, self.file, self.reader) = (database, file, reader)
    (number, end) = (last.number, last.end ?? BackupEnd())
    isChanged = last.end == nil
  }

  /// The header and whose it is, in one write.
  private static func begin(
    _ file: BackupFile, _ database: Database, _ secret: BackupSecret, _ profile: PasswordProfile
  ) throws(TreeError) {
    let random = database.environment.randomBytes
    let header = BackupHeader(
      kind: secret.kind, profile: secret.kind == .password ? profile : nil, salt: Bytes16(random(16)))
    let keys = try BackupKeys(secret, header)
    let about = BackupAbout(space: database.spaceID, device: database.deviceKey, deviceName: database.deviceName)
    try file.cut(to: 0)
    try file.append(
      header.encoded + BackupSection.seal(.about, number: 0, about.encoded, header, keys, random: random(32)))
    try file.sync()
  }

  // MARK: What is added

  mutating func append(_ files: [String], _ progress: (Int) -> Void) throws -> Backup.Report {
    let before = file.byteCount
    try appendSettings(files)
    try appendImages()
    try appendChanges(progress)
    if isChanged {
      try file.sync()
      end.wallTime = database.environment.wallClock()
      end.stateHash = try stateHash()
      try write(.end, end.encoded)
      try file.sync()
    }
    (report.allChanges, report.byteCount) = (end.changes, file.byteCount)
    report.addedBytes = file.byteCount - before
    return report
  }

  private mutating func write(_ kind: BackupSection.Kind, _ content: [UInt8]) throws(TreeError) {
    guard content.count <= BackupSection.Head.limit - Sodium.tagBytes else {
      throw TreeError(.limitExceeded, "a section of a backup would have \(content.count) bytes", advice: "Report this.")
    }
    let random = database.environment.randomBytes(32)
    try file.append(
      BackupSection.seal(kind, number: number, content, reader.header, reader.keys, random: random))
    number += 1
    isChanged = true
  }

  private mutating func appendSettings(_ files: [String]) throws {
    var settings = BackupSettings()
    settings.remotes = try RemoteRecords(database: database).remotes().map(\.description)
    for name in files where FileSystem.exists("\(database.home)/\(name)") {
      let bytes = try FileSystem.readFile("\(database.home)/\(name)", maximumBytes: BackupSettings.byteLimit)
      settings.files.append(BackupSettings.File(name: name, bytes: bytes))
    }
    let content = settings.encoded
    guard content.count <= BackupSettings.byteLimit, settings.files.count <= BackupSettings.fileLimit,
      settings.remotes.count <= BackupSettings.remoteLimit
    else {
      throw TreeError(.limitExceeded, "the small files of \(database.home) are too large for a backup")
    }
    let hash = Sodium.hash32(content)
    if hash == end.settings { return }
    try write(.settings, content)
    end.settings = hash
  }

  private mutating func appendImages() throws(TreeError) {
    for hash in try database.imageHashes() where !end.images.contains(hash) {
      guard let bytes = try database.image(hash) else { continue }
      try write(.image, bytes)
      end.images.insert(hash)
      report.images += 1
    }
  }

  /// In causal order, each read by itself: nobody waits for the disk, and the database's space is not pinned meanwhile.
  private mutating func appendChanges(_ progress: (Int) -> Void) throws {
    var outgoing = try database.outgoing(to: VectorClock(end.clock))
    // A database that is older than its backup, or on another branch: what it has of those logs goes in again.
    for position in end.clock where try !database.hasChange(position) {
      try outgoing.restart(log: position.log, common: nil, from: database)
    }
    var section = ByteWriter()
    while true {
      let runs = try outgoing.next(maximumBytes: Self.sectionBytes, from: database)
      for run in runs {
        let segment = try Segment.encode(run, space: database.spaceID)
        let header = try SegmentHeader(decodingPlain: segment[...])
        let isWaiting = try !database.hasChange(header.position)
        if isWaiting, end.waiting.contains(header.position) { continue }
        if section.count > 0, section.count + segment.count > Self.sectionBytes { try writeChanges(&section) }
        section.append(segment)
        if isWaiting { end.waiting.insert(header.position) } else { end.add(header) }
        report.changes += run.bodies.count
      }
      progress(report.changes)
      if runs.isEmpty { break }
    }
    if section.count > 0 { try writeChanges(&section) }
  }

  private mutating func writeChanges(_ section: inout ByteWriter) throws(TreeError) {
    var content = ByteWriter()
    content.u32(UInt32(section.count))
    content.append(try Zstd.compress(section.bytes))
    try write(.changes, content.bytes)
    section.removeAll()
  }

  /// The state hash that belongs to exactly what the backup holds, unless somebody has written meanwhile.
  private func stateHash() throws -> Bytes16? {
    let (clock, hash) = try database.read { transaction in (try transaction.clock(), try transaction.stateHash()) }
    return Set(clock.positions) == end.clock ? hash : nil
  }
}
