internal import OfflineTree

/// Telling the folder that was used before from what stands in its place when its disk is not there: an empty folder under a
/// mount that is gone would take what is written, and nobody else would ever see it.
extension FolderExchange {
  /// A name that readers skip, in the folder that this home alone writes to.
  private var markName: String { "\(root)/\(home)/.folder" }

  /// - Throws: `.unavailable` if the volume is another than the last time and the folder's mark is not the last one. Either alone
  ///   is well: a folder that was made anew on its disk, and a disk that was mounted anew. So is one of several disks that
  ///   are used here by turns, unless it is the home's own: there stands what is below a mount that is gone.
  func requireSameFolder() throws(TreeError) {
    guard files.look(at: root) != nil, let known = try knownFolder(), let volume = known.volume else { return }
    let (token, now) = (try token(), try files.volume(of: root))
    if now.isSame(as: volume) { return }
    if let token {
      if token == known.tokens.first { return }
      if known.tokens.contains(token), try !now.isSame(as: files.volume(of: database.home)) { return }
    }
    throw TreeError(
      .unavailable,
      "\(root) is not the folder that it was: it is on another disk, and the mark that this device had put there, "
        + "\(home)/.folder, is \(token == nil ? "missing" : "another")",
      advice:
        "Mount its disk, or plug it in, and sync again. If the folder was replaced or moved on purpose, or another disk is used here "
        + "by turns with it, add the remote once more")
  }

  /// Puts a mark into this home's folder, and remembers it with the volume, where they are not known yet. Where that does not
  /// work, the exchange was none the worse for it.
  func noteFolder(_ report: inout SyncReport) {
    do {
      try markFolder()
    } catch {
      report.notes.append(
        "\(root) cannot be told from another folder in its place, since the mark \(home)/.folder could not be written: "
          + "\(TreeError(anyError: error))")
    }
  }

  private func markFolder() throws {
    guard files.look(at: "\(root)/\(home)")?.kind == .folder else { return }
    let (known, there, volume) = (try knownFolder(), try token(), try files.volume(of: root))
    // Made anew on its disk it is the same; what is taken for it on purpose is another one.
    let same = known?.volume == nil ? nil : known?.tokens.first
    let token = there ?? same ?? Bytes16(environment.randomBytes(16))
    if there == nil {
      try files.writeDurably(
        markName, Array(token.description.utf8), mode: Self.fileMode, chance: environment.randomBytes(8))
    }
    let now = RemoteRecords.Folder(token, before: known?.tokens ?? [], volume: volume)
    if known != now { try RemoteRecords(database: database).set(now, remote: remote) }
  }

  private var remote: String { RemoteAddress.folder(path: root).description }

  private func knownFolder() throws(TreeError) -> RemoteRecords.Folder? {
    try RemoteRecords(database: database).folder(of: remote)
  }

  /// The mark; nil if it is gone, or something else stands in its place, which tells nothing.
  private func token() throws(TreeError) -> Bytes16? {
    guard files.look(at: markName)?.kind == .file else { return nil }
    do throws(TreeError) {
      let digits = try files.read(markName, maximumBytes: 64)
      let bytes = OfflineTree.bytes(fromHexadecimal: String(decoding: digits, as: UTF8.self))
      return bytes?.count == 16 ? bytes.map { Bytes16($0) } : nil
    } catch {
      if error.code == .notFound || error.code == .limitExceeded { return nil }
      throw error
    }
  }
}
