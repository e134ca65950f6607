internal import OfflineTree

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

  /// Choices of parts of several homes that are tried: with wrong ones beside up to eight of the right ones it is found.
  private static let choicesTried = 256

  /// The files of each part, in order, any of which will do; nil if no parts that are there give the set's id.
  ///
  /// Somebody may have put wrong parts beside the right ones, so each home's are looked at as that home has them, and then
  /// those of all homes in turn. O(files).
  var parts: [[File]]? {
    guard files.count == whole.partCount else { return nil }
    let sorted = (0..<whole.partCount).map { number in (files[number] ?? []).sorted { $0.name < $1.name } }
    guard let hashes = hashesOfOneHome(sorted) ?? hashesOfSeveral(sorted) else { return nil }
    return zip(sorted, hashes).map { files, hash in files.filter { $0.part.hash == hash } }
  }

  /// Of the first home that has all parts, and the right ones.
  private func hashesOfOneHome(_ sorted: [[File]]) -> [Bytes32]? {
    var homes: [ArraySlice<UInt8>: [Bytes32]] = [:]
    for (number, files) in sorted.enumerated() {
      for file in files where homes[file.name.folder, default: []].count == number {
        homes[file.name.folder, default: []].append(file.part.hash)
      }
    }
    return homes.values.first(where: isRight)
  }

  private func hashesOfSeveral(_ sorted: [[File]]) -> [Bytes32]? {
    let choices = sorted.map { files in
      var seen: Set<Bytes32> = []
      return files.map(\.part.hash).filter { seen.insert($0).inserted }
    }
    var places = [Int](repeating: 0, count: choices.count)
    for _ in 0..<Self.choicesTried {
      let hashes = zip(choices, places).map { $0[$1] }
      if isRight(hashes) { return hashes }
      // Counts up, each part a digit with as many values as there are hashes.
      guard let digit = places.indices.last(where: { places[$0] + 1 < choices[$0].count }) else { return nil }
      places[digit] += 1
      for lower in places.indices where lower > digit { places[lower] = 0 }
    }
    return nil
  }

  private func isRight(_ hashes: [Bytes32]) -> Bool {
    hashes.count == whole.partCount && CheckpointPart.Whole.id(of: hashes) == whole.id
  }
}
