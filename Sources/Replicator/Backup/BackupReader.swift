internal import OfflineTree

/// Goes through a backup, section by section: one of them in memory at a time.
struct BackupReader {
  let file: BackupFile
  let header: BackupHeader
  let keys: BackupKeys
  let about: BackupAbout
  /// Behind the section about whose it is.
  private let start: UInt64

  /// - Throws: `wrongPassword` if the secret is not the one, or the file's beginning is damaged; `damaged` if there is
  ///   nothing in it.
  init(_ file: BackupFile, _ secret: BackupSecret) throws(TreeError) {
    if try Self.isUnfinished(file) { throw Backup.empty(file.path) }
    let header = try Self.header(of: file)
    guard secret.kind == header.kind else {
      throw TreeError(
        .invalidArgument,
        "\(file.path) is sealed by a \(header.kind), not by a \(secret.kind)", advice: "Give it that.")
    }
    let keys = try BackupKeys(secret, header)
    let offset = UInt64(BackupHeader.byteCount)
    guard let head = BackupSection.Head(try file.read(BackupSection.Head.byteCount, at: offset)),
      head.kind == .about, head.number == 0, head.sealedCount <= Self.aboutLimit,
      let content = BackupSection.open(
        head, try file.read(head.sealedCount, at: offset + UInt64(BackupSection.Head.byteCount)), header, keys)
    else {
      throw TreeError(
        .wrongPassword, "this \(header.kind) does not open \(file.path)",
        advice: "Try again. If it is the right one, the beginning of the file is damaged: take another copy of it.")
    }
    about = try BackupAbout(decoding: content)
    (self.file, self.header, self.keys) = (file, header, keys)
    start = offset + UInt64(BackupSection.Head.byteCount + head.sealedCount)
  }

  /// Is it a file that was made a moment before the program died? Then there is nothing in it to keep.
  ///
  /// Only what begins as a backup does is taken for one.
  static func isUnfinished(_ file: BackupFile) throws(TreeError) -> Bool {
    let beginning = BackupHeader.byteCount + BackupSection.Head.byteCount
    let bytes = try file.read(beginning, at: 0)
    guard bytes.starts(with: BackupHeader.magic.prefix(bytes.count)) else { return false }
    if bytes.count < beginning { return true }
    guard let head = BackupSection.Head(Array(bytes[BackupHeader.byteCount...])) else { return false }
    return head.kind == .about && head.number == 0 && head.sealedCount <= aboutLimit
      && UInt64(beginning + head.sealedCount) > file.byteCount
  }

  /// Of the sealed bytes that say whose the backup is.
  private static let aboutLimit = 4_096

  static func header(of file: BackupFile) throws(TreeError) -> BackupHeader {
    try BackupHeader(decoding: try file.read(BackupHeader.byteCount, at: 0), of: file.path)
  }

  /// Where a section stands, and what its head says.
  struct Place {
    let offset: UInt64
    let head: BackupSection.Head
    var end: UInt64 { offset + UInt64(BackupSection.Head.byteCount + head.sealedCount) }
  }

  /// The last end that counts, and how far the file leads in whole sections.
  struct Last {
    var end: BackupEnd?
    /// Behind that end.
    var offset: UInt64
    /// The number of the section behind it.
    var number: UInt64
    /// Where the heads stop leading on.
    var broken: UInt64
  }

  /// Looks at the heads alone, and opens the last end.
  ///
  /// - Throws: `damaged` if that end does not open.
  func last() throws(TreeError) -> Last {
    var last = Last(end: nil, offset: start, number: 1, broken: start)
    var (number, found): (UInt64, Place?) = (1, nil)
    while let place = try place(at: last.broken, number: number) {
      number += 1
      last.broken = place.end
      if place.head.kind == .end { found = place }
    }
    guard let found else { return last }
    guard let content = try content(at: found) else { throw damaged(found.offset) }
    (last.end, last.offset, last.number) = (try BackupEnd(decoding: content), found.end, found.head.number + 1)
    return last
  }

  /// The section at `offset`, if it is whole and has that number.
  func place(at offset: UInt64, number: UInt64) throws(TreeError) -> Place? {
    guard let place = try place(at: offset), place.head.number == number else { return nil }
    return place
  }

  private func place(at offset: UInt64) throws(TreeError) -> Place? {
    guard let head = BackupSection.Head(try file.read(BackupSection.Head.byteCount, at: offset)) else { return nil }
    let place = Place(offset: offset, head: head)
    return place.end <= file.byteCount ? place : nil
  }

  /// What a section holds; nil if it does not open.
  func content(at place: Place) throws(TreeError) -> [UInt8]? {
    let sealed = try file.read(place.head.sealedCount, at: place.offset + UInt64(BackupSection.Head.byteCount))
    return BackupSection.open(place.head, sealed, header, keys)
  }

  /// The next section from `offset` on that opens, wherever it begins: what damage has left.
  func search(from offset: UInt64, _ isWanted: (BackupSection.Kind) -> Bool) throws(TreeError) -> Place? {
    let magic = BackupSection.Head.magic
    var offset = offset
    while true {
      let bytes = try file.read(1 << 20, at: offset)
      if bytes.count < magic.count { return nil }
      for index in 0...(bytes.count - magic.count)
      where bytes[index] == magic[0] && bytes[index..<index + magic.count].elementsEqual(magic) {
        guard let place = try place(at: offset + UInt64(index)), isWanted(place.head.kind) else { continue }
        if try content(at: place) != nil { return place }
      }
      offset += UInt64(bytes.count - magic.count + 1)
    }
  }

  /// Calls `body` with each section between the first one and the last end, in order.
  ///
  /// - Parameter isPatient: Passes over what is damaged; else that throws.
  /// - Returns: How many places were passed over.
  func forEachSection(
    isPatient: Bool, _ body: (BackupSection.Kind, [UInt8], UInt64) throws(TreeError) -> Void
  ) throws(TreeError) -> Int {
    var (offset, number, damages) = (start, UInt64(1), 0)
    let limit = isPatient ? file.byteCount : try wholeEnd()
    while offset < limit {
      if let place = try place(at: offset, number: number), let content = try content(at: place) {
        try body(place.head.kind, content, place.end)
        (offset, number) = (place.end, number + 1)
      } else if isPatient {
        damages += 1
        guard let next = try search(from: offset + 1, { _ in true }) else { return damages }
        (offset, number) = (next.offset, next.head.number)
      } else {
        throw damaged(offset)
      }
    }
    return damages
  }

  /// Where what counts ends.
  /// - Throws: `damaged` if the file goes on behind a place at which it is broken.
  private func wholeEnd() throws(TreeError) -> UInt64 {
    let last = try last()
    try requireTorn(last)
    return last.offset
  }

  /// A last run that was broken off leaves no end behind it; where one stands, the file is damaged before it.
  func requireTorn(_ last: Last) throws(TreeError) {
    if last.broken < file.byteCount, try search(from: last.broken + 1, { $0 == .end }) != nil {
      throw damaged(last.broken)
    }
  }

  func damaged(_ offset: UInt64) -> TreeError {
    TreeError(
      .damaged, "\(file.path) is damaged at byte \(offset)",
      advice: "Keep it, and make a new backup in another file. What can still be read of it, restore takes with "
        + "--damaged.")
  }
}
