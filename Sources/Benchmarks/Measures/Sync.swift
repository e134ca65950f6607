internal import OfflineTree
internal import Replicator

/// Another device's log comes in as sealed files: the changes of `merge`, published in a folder and read from it.
///
/// The other side of the ratio is the same time without what only sealing and signing take, which is measured on the
/// very files: compressing and sealing each again, opening each again, checking each signature again.
extension Stage {
  func sync() async throws -> Measurement {
    var changes = 0
    var samples: [Times] = []
    for _ in 0..<settings.samples {
      let (times, count) = try await syncOnce()
      samples.append(times)
      changes = count
      try removeCopies()
    }
    return Measurement(
      name: "sync", unit: "changes", durability: Durability.full.rawValue, operations: changes, samples: samples)
  }

  private func syncOnce() async throws -> (Times, changes: Int) {
    let local = try Database.open(at: try newHome())
    defer { local.close() }
    let remote = try Database.join(at: newPath(), invite: invite, deviceName: "remote")
    defer { remote.close() }
    let root = newPath()
    try FileSystem.makeDirectory(root)
    let (replicator, other) = (Replicator(database: local), Replicator(database: remote))
    for side in [replicator, other, replicator] {
      try side.addRemote(.folder(path: root))
      _ = try await side.syncOnce()
    }
    let before = try Stage.segments(in: root)
    try await write(in: remote)
    let clock = ContinuousClock()
    let start = clock.now
    let sent = try await other.syncOnce().reduce(0) { $0 + $1.report.sent }
    let received = try await replicator.syncOnce().reduce(0) { $0 + $1.report.received }
    let time = clock.now - start
    guard sent > 0, sent == received else { throw Incomplete(applied: received, changes: sent) }
    let files = try Stage.segments(in: root).subtracting(before)
    let security = try cost(of: files, remote.deviceKey, try local.epochs())
    return (Times(ours: time, raw: time - security), sent)
  }

  private static func segments(in root: String) throws -> Set<String> {
    Set(
      try FileSystem.list(root).flatMap { folder in
        try FileSystem.list("\(root)/\(folder)").filter { $0.hasSuffix(".seg") }.map { "\(root)/\(folder)/\($0)" }
      })
  }

  /// What sealing, opening and checking the files takes.
  private func cost(of files: Set<String>, _ device: Bytes32, _ epochs: Epochs) throws -> Duration {
    let clock = ContinuousClock()
    var time = Duration.zero
    for file in files {
      let bytes = try FileSystem.readFile(file, maximumBytes: Limits.segmentBytes)
      let known = Dictionary(uniqueKeysWithValues: epochs.known.map { ($0.id, $0) })
      let start = clock.now
      let run = try SealedSegment(opening: bytes, known: known).run
      time += clock.now - start
      guard let signature = run.signature else { continue }
      let head = run.head
      let message = ChangeRun.signedHead(log: run.log, seq: run.last, head: head, space: epochs.current.space)
      time += clock.measure { precondition(Sodium.isValid(signature, of: message, by: device)) }
      time += try clock.measure {
        _ = try SealedSegment.seal(run, head: head, epochs.current, random: Sodium.randomBytes(32))
      }
    }
    return time
  }
}
