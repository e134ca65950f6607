import OfflineTree
import Replicator

/// Runs of changes, and what they are sealed from.
enum SeedRuns {
  static let all: [(name: String, run: ChangeRun)] = [
    ("introduction", run(from: 0, [SeedChanges.genesis])),
    ("changes", run(from: 3, [SeedChanges.joke, SeedChanges.vote, SeedChanges.everything])),
  ]

  private static func run(from first: UInt64, _ changes: [Change]) -> ChangeRun {
    ChangeRun(
      log: FuzzSpace.log, first: first, hashBefore: FuzzSpace.space, bodies: changes.map { $0.body[...] },
      signature: FuzzSpace.signature)
  }

  /// The changes with their lengths.
  static func bodies(of run: ChangeRun) -> [UInt8] {
    var writer = ByteWriter()
    for body in run.bodies { writer.prefixed(Array(body)) }
    return writer.bytes
  }

  /// The header of a run in a frame of blocks as they are.
  static func openedHeader(of run: ChangeRun, bodies: Int) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(run.log)
    writer.u64(run.first)
    writer.u64(run.last)
    writer.append(run.hashBefore)
    writer.append(run.head)
    writer.u32(UInt32(bodies))
    writer.u32(UInt32(bodies + 12))
    writer.u32(UInt32(run.bodies.count))
    writer.append(FuzzSpace.signature.bytes)
    return writer.bytes + [UInt8](repeating: 0, count: 320 - writer.count)
  }

  /// Seals as docs/format.md says: an opened header of 320 bytes, and a body, which is padded.
  static func seal(_ header: [UInt8], _ frame: [UInt8]) -> [UInt8] {
    var body = frame
    body += repeatElement(0, count: Padding.paddedCount(frame.count) - frame.count)
    let keys = FuzzSpace.epoch
    let (nonce, space) = (nonce(1), keys.space.bytes)
    var file = outer(kind: 1, nonce, fileByteCount: 64 + 320 + 16 + body.count + 16)
    file += Sodium.seal(header, nonce: nonce, additional: file + space, keys.header)
    file += Sodium.seal(body, nonce: nonce, additional: file + space, keys.body)
    return file
  }

  /// Seals an acknowledgement's body, which is padded.
  static func sealAcknowledgement(_ body: [UInt8], version: UInt8 = 1) -> [UInt8] {
    let keys = FuzzSpace.epoch
    let outer = outer(kind: 2, version: version, nonce(2), fileByteCount: 64 + body.count + 16)
    return outer + Sodium.seal(body, nonce: nonce(2), additional: outer + keys.space.bytes, keys.body)
  }

  private static func nonce(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 24) }

  private static func outer(
    kind: UInt8, version: UInt8 = 1, _ nonce: [UInt8], fileByteCount: Int
  ) -> [UInt8] {
    Array("OTSG".utf8) + [version, 1, kind, 0] + FuzzSpace.epoch.id.bytes + nonce
      + littleEndian(UInt64(fileByteCount), 8)
      + [UInt8](repeating: 0, count: 8)
  }
}
