internal import OfflineTree

/// Telling the folder that was used before from what stands in its place when its disk is not there: an empty folder under a
/// mount that is gone would take what is written, and nobody else would ever see it.
extension FolderExchange {
  /// A name that readers skip, in the folder that this home alone writes to.
  private var tokenName: String { "\(root)/\(home)/.folder" }

  /// - Throws: `.unavailable` if the folder's token is not there, or another, and the volume is another one too. Either alone
  ///   is well: a folder that was made anew on its disk, and a disk that was mounted anew.
  func requireSameFolder() throws(TreeError) {
    guard files.look(at: root) != nil, let known = try knownFolder(), try token() != known.token,
      try !files.volume(of: root).isSame(as: known.volume)
    else { return }
    throw TreeError(
      .unavailable,
      "\(root) is not the folder that it was: it is on another disk, and what this device had put there is not in it",
      advice: "Mount it, or plug it in, and sync again; if it was replaced on purpose, add the remote once more")
  }

  /// Puts a token into this home's folder, and remembers it with the volume, where they are not known yet.
  func noteFolder() throws {
    guard files.look(at: "\(root)/\(home)")?.kind == .folder else { return }
    let (known, there) = (try knownFolder(), try token())
    let now = RemoteRecords.Folder(
      token: there ?? known?.token ?? Bytes16(environment.randomBytes(16)), volume: try files.volume(of: root))
    if there == nil {
      try files.writeDurably(
        tokenName, Array(now.token.description.utf8), mode: Self.fileMode, chance: environment.randomBytes(8))
    }
    if known != now { try RemoteRecords(database: database).set(now, remote: remote) }
  }

  private var remote: String { RemoteAddress.folder(path: root).description }

  private func knownFolder() throws(TreeError) -> RemoteRecords.Folder? {
    try RemoteRecords(database: database).folder(of: remote)
  }

  private func token() throws(TreeError) -> Bytes16? {
    do throws(TreeError) {
      let digits = try files.read(tokenName, maximumBytes: 64)
      let bytes = OfflineTree.bytes(fromHexadecimal: String(decoding: digits, as: UTF8.self))
      return bytes?.count == 16 ? bytes.map { Bytes16($0) } : nil
    } catch {
      // Gone, or something else in its place: it tells nothing then.
      if error.code == .notFound || error.code == .limitExceeded { return nil }
      throw error
    }
  }
}
