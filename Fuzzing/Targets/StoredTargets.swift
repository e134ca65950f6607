import OfflineTree
import Replicator

/// What this device has stored, or was handed for keeping: files that damage, or somebody, may have changed.
extension FuzzTarget {
  /// A checkpoint: the file, or its plaintext under a hash that fits.
  static let checkpoint = FuzzTarget(
    name: "checkpoint", maximumBytes: 8_192,
    // A piece is opened as a whole, and zstd keeps its tables.
    memory: { 256 * $0 + (16 << 20) },
    seeds: {
      let made = seedCheckpoint()
      return [
        Seed("file", [0] + made.file, isRepeatable: false),
        Seed("plaintext", [1] + made.plaintext, isRepeatable: false),
      ]
    },
    run: { input throws(FuzzFailure) in
      var input = FuzzInput(input)
      let isPlaintext = input.choice() & 1 == 1
      let bytes = Array(input.rest)
      if isPlaintext { return try take(bytes) }
      guard let bundle = attempt({ () throws(TreeError) in try CheckpointBundle(decoding: mendedCheck(bytes)) }) else {
        return
      }
      let again = attempt { () throws(TreeError) in try CheckpointBundle(decoding: bundle.encoded) }
      try require(again == bundle, "a checkpoint does not read what it writes")
    })

  /// The file of a backup, or what whoever has its secret puts in its sections.
  static let backup = FuzzTarget(
    name: "backup", maximumBytes: 4_096,
    // A section opens to 40 MiB.
    memory: { 64 * $0 + (100 << 20) },
    seeds: {
      let sections = seedSections()
      let file = seedBytes { () throws(TreeError) in try BackupTrial.file(sections, space: FuzzSpace.space) }
      let said = sections.flatMap { kind, content in [kind] + littleEndian(UInt64(content.count), 2) + content }
      return [Seed("file", [0] + file), Seed("sections", [1] + said)]
    },
    run: { input throws(FuzzFailure) in
      var input = FuzzInput(input)
      let isSaid = input.choice() & 1 == 1
      var bytes = Array(input.rest)
      if isSaid {
        let said = sections(in: bytes)
        bytes = seedBytes { () throws(TreeError) in try BackupTrial.file(said, space: FuzzSpace.space) }
      }
      try FuzzFile.with(bytes) { path throws(FuzzFailure) in
        let strict = attempt { () throws(TreeError) in try BackupTrial(reading: path, isPatient: false) }
        var patient: BackupTrial?
        do throws(TreeError) {
          patient = try BackupTrial(reading: path, isPatient: true)
        } catch {
          // Behind the last end there may be what a newer version, or somebody who has the secret, has sealed.
          try require(strict == nil || error.code != .damaged, "a sound backup is refused by who passes over damage")
        }
        guard let strict, let patient else { return }
        // What stands behind the last end is read by who passes over damage, and by nobody else.
        try require(
          patient.changes >= strict.changes && patient.images >= strict.images, "who passes over damage finds less")
      }
    })

  /// A damaged data file: pages behind two sound heads, rows whose checksums fit, or anything.
  static let salvage = FuzzTarget(
    name: "salvage", maximumBytes: 4_096,
    memory: { 256 * $0 + (16 << 20) },
    seeds: {
      let rows = SeedRuns.all.enumerated().map { number, seed -> SalvagePages.Row in
        let bodies = seed.run.bodies
        var row = seed.run.hashBefore.bytes + littleEndian(UInt64(bodies.count), 4)
        var end = 0
        for body in bodies {
          end += body.count
          row += littleEndian(UInt64(end), 4)
        }
        let key = bigEndian(UInt64(number), 4) + bigEndian(seed.run.first, 8)
        return SalvagePages.Row(table: Table.run.rawValue, key: key, value: row + bodies.flatMap { $0 })
      }
      return [
        Seed("rows", [0] + SalvagePages.encode(rows)),
        Seed("pages", [1] + Array(SalvagePages.page(rows).prefix(2_048))),
        Seed("file", [2] + SalvagePages.heads(root: 2) + [UInt8](repeating: 0, count: 64)),
      ]
    },
    run: { input throws(FuzzFailure) in
      var input = FuzzInput(input)
      let choice = input.choice() % 3
      let rest = Array(input.rest)
      let file =
        switch choice {
        case 0: SalvagePages.heads(root: nil) + SalvagePages.page(SalvagePages.rows(in: rest))
        case 1: SalvagePages.heads(root: 2) + rest
        default: rest
        }
      try FuzzFile.with(file) { path throws(FuzzFailure) in
        guard let found = attempt({ () throws(TreeError) in try SalvageTrial(path, of: FuzzSpace.client.publicKey) })
        else { throw FuzzFailure("a file is not looked at because of what is in it") }
        for run in found.runs { try require(run.signature != nil, "changes are taken that nobody has signed") }
        try require(found.problems.allSatisfy { !$0.isEmpty }, "a problem has no words")
      }
    })

  /// Does an input of one of these targets get as far as it is meant to?
  package static func isTaken(_ input: [UInt8], by target: FuzzTarget) -> Bool {
    let bytes = Array(input.dropFirst())
    switch target.name {
    case "checkpoint":
      return attempt { () throws(TreeError) in try trial.take(bytes, space: space(of: bytes)) } != nil
    case "backup":
      return isTrue(of: bytes) { path in
        let read = attempt { () throws(TreeError) in try BackupTrial(reading: path, isPatient: false) }
        return read.map { $0.changes > 0 && $0.images == 1 && $0.settings == 1 } ?? false
      }
    default:
      let file = SalvagePages.heads(root: nil) + SalvagePages.page(SalvagePages.rows(in: bytes))
      return isTrue(of: file) { path in
        let found = attempt { () throws(TreeError) in try SalvageTrial(path, of: FuzzSpace.client.publicKey) }
        return found.map { $0.records > 0 } ?? false
      }
    }
  }

  private static func isTrue(of file: [UInt8], _ look: (String) -> Bool) -> Bool {
    var isTrue = false
    try? FuzzFile.with(file) { path in isTrue = look(path) }
    return isTrue
  }

  /// The space that the header of a checkpoint names, behind its length, kind and version.
  private static func space(of plaintext: [UInt8]) -> SpaceID {
    SpaceID(plaintext.dropFirst(3).prefix(32) + repeatElement(0, count: max(0, 35 - plaintext.count)))
  }

  // MARK: Parts

  private static let trial = FuzzFile.trial(block: 2)

  private static func take(_ plaintext: [UInt8]) throws(FuzzFailure) {
    let space = space(of: plaintext)
    _ = attempt { () throws(TreeError) in try trial.take(plaintext, space: space) }
    let isEmpty = (try? trial.isEmpty()) ?? false
    try require(isEmpty, "a checkpoint that is not taken leaves something")
  }

  /// The last 16 bytes are the hash of the others.
  private static func mendedCheck(_ bytes: [UInt8]) -> [UInt8] {
    bytes.count < 16 ? bytes : bytes.dropLast(16) + Sodium.hash16(Array(bytes.dropLast(16))).bytes
  }

  private static func seedSections() -> [(kind: UInt8, content: [UInt8])] {
    let runs = SeedRuns.all.map(\.run)
    let changes = seedBytes { () throws(TreeError) in try BackupTrial.changes(runs, space: FuzzSpace.space) }
    return [(2, changes), (3, [0x89, 0x50, 0x4E, 0x47]), (4, BackupTrial.settings), (5, BackupTrial.end)]
  }

  private static func sections(in bytes: [UInt8]) -> [(kind: UInt8, content: [UInt8])] {
    var (sections, rest): ([(kind: UInt8, content: [UInt8])], _) = ([], bytes[...])
    while rest.count >= 3, sections.count < 64 {
      let kind = rest.removeFirst()
      let length = Int(rest.removeFirst()) | Int(rest.removeFirst()) << 8
      sections.append((kind, Array(rest.prefix(length))))
      rest = rest.dropFirst(length)
    }
    return sections
  }

  private static func seedCheckpoint() -> (file: [UInt8], plaintext: [UInt8]) {
    do {
      return try FuzzFile.checkpoint(block: 2)
    } catch {
      fatalError("a seed cannot be made: \(error)")
    }
  }
}

func bigEndian(_ value: UInt64, _ count: Int) -> [UInt8] { littleEndian(value, count).reversed() }
