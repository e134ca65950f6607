import OfflineTree

/// The parts of one checkpoint in a folder, as far as headers say: from one home or several.
struct CheckpointSet {
  struct File {
    let name: FolderName
    let part: CheckpointPart
  }

  let whole: CheckpointPart.Whole
  /// By number.
  private var files: [Int: [File]] = [:]

  private init(_ whole: CheckpointPart.Whole) { self.whole = whole }

  /// All of a folder, the newest first.
  ///
  /// - Parameter home: Of files in this folder of the root alone, if it is named.
  static func all(in index: FolderIndex, of home: String? = nil) -> [CheckpointSet] {
    var sets: [CheckpointPart.Whole: CheckpointSet] = [:]
    for (entry, part) in index.checkpointParts where home.map({ entry.name.isIn($0) }) ?? true {
      sets[part.whole, default: CheckpointSet(part.whole)].files[part.number, default: []]
        .append(File(name: entry.name, part: part))
    }
    return sets.values.sorted {
      ($1.whole.vouched.seq, $0.whole.id) < ($0.whole.vouched.seq, $1.whole.id)
    }
  }

  /// The files of each part, in order, any of which will do; nil if no parts that are there give the set's id.
  ///
  /// Somebody may have put a wrong part beside the right ones, so each home's parts are looked at as that home has them.
  var parts: [[File]]? {
    guard files.count == whole.partCount else { return nil }
    let sorted = files.mapValues { $0.sorted { $0.name < $1.name } }
    let homes = Set(sorted.values.flatMap { $0 }.map(\.name.folder)).sorted { $0.lexicographicallyPrecedes($1) }
    for home in homes {
      let hashes = (0..<whole.partCount).compactMap { number in
        (sorted[number]?.first { $0.name.folder == home } ?? sorted[number]?.first)?.part.hash
      }
      guard hashes.count == whole.partCount, CheckpointPart.Whole.id(of: hashes) == whole.id else { continue }
      return hashes.enumerated().map { number, hash in (sorted[number] ?? []).filter { $0.part.hash == hash } }
    }
    return nil
  }
}
