import OfflineTree
import Replicator

extension FuzzTarget {
  /// The bytes of a file in a shared folder, which may be anything.
  static let sealed = FuzzTarget(
    name: "sealed", maximumBytes: 4_096,
    memory: { 64 * $0 + (4 << 20) },
    seeds: {
      SeedRuns.all.map { name, run in
        Seed(
          name,
          seedBytes { () throws(TreeError) in
            try SealedSegment.seal(run, FuzzSpace.epoch, random: FuzzSpace.random)
          })
      }
    },
    run: { input throws(FuzzFailure) in try open(input) })

  /// What a holder of the key seals: headers and bodies that may be anything.
  static let opened = FuzzTarget(
    name: "opened", maximumBytes: 4_096,
    // Up to 32 MiB are opened, and each of up to 2^20 changes has a place of 32 bytes.
    memory: { 64 * $0 + (80 << 20) },
    seeds: {
      SeedRuns.all.flatMap { name, run -> [Seed] in
        let bodies = SeedRuns.bodies(of: run)
        let header = SeedRuns.openedHeader(of: run, bodies: bodies.count)
        return [
          Seed(name + "-bodies", [Choice.bodies] + bodies),
          Seed(name + "-frame", [Choice.frame] + RawZstdFrame.of(bodies)),
          Seed(name + "-header", [Choice.header] + header + RawZstdFrame.of(bodies)),
        ]
      }
    },
    run: { input throws(FuzzFailure) in try open(sealed(input)) })

  /// What follows in an input.
  private enum Choice {
    /// Changes with their lengths: all else is made to fit.
    static let bodies: UInt8 = 0
    /// A zstd frame; the header is made to fit what the frame says.
    static let frame: UInt8 = 1
    /// The opened header, then the frame.
    static let header: UInt8 = 2
  }

  private static func open(_ file: [UInt8]) throws(FuzzFailure) {
    let opened = attempt { () throws(TreeError) in try SealedSegment(opening: file, known: FuzzSpace.known) }
    guard let opened else { return }
    let header = opened.header
    try require(header.segment.position.hash == opened.run.head, "a segment does not lead to its head")
    try require(opened.run.bodies.count == header.segment.count, "a segment has not the changes that it counts")
    try require(header.fileByteCount == file.count, "a segment has not the length that it says")
    try require(opened.run.epoch == FuzzSpace.epoch.id, "a segment is of another epoch")
  }

  /// The file whose opened parts an input gives.
  private static func sealed(_ input: [UInt8]) -> [UInt8] {
    var input = FuzzInput(input)
    let choice = input.byte() % 3
    var (header, frame) = ([UInt8](repeating: 0, count: 320), Array(input.rest))
    if choice == Choice.header {
      let given = frame.prefix(320)
      header.replaceSubrange(..<given.count, with: given)
      frame.removeFirst(given.count)
    } else {
      let bodies = frame
      if choice == Choice.bodies { frame = RawZstdFrame.of(bodies) }
      let length = choice == Choice.bodies ? UInt64(bodies.count) : RawZstdFrame.contentSize(of: frame)
      header.replaceSubrange(..<16, with: FuzzSpace.log.bytes)
      header.replaceSubrange(32..<64, with: FuzzSpace.space.bytes)
      header.replaceSubrange(96..<104, with: littleEndian(length, 4) + littleEndian(UInt64(frame.count), 4))
      mendPlace(&header[..<108], countAt: 104, bodies[...])
    }
    return SeedRuns.seal(header, frame)
  }
}

/// zstd frames (RFC 8878) of blocks that are stored as they are.
enum RawZstdFrame {
  static func of(_ content: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0xA0] + littleEndian(UInt64(content.count), 4)
    var rest = content[...]
    repeat {
      let block = rest.prefix(1 << 17)
      rest = rest.dropFirst(block.count)
      bytes += littleEndian((rest.isEmpty ? 1 : 0) | UInt64(block.count) << 3, 3) + block
    } while !rest.isEmpty
    return bytes
  }

  /// What a frame says of its content, in the one form of header that has four bytes for it; else any number.
  static func contentSize(of frame: [UInt8]) -> UInt64 {
    guard frame.count > 10 else { return 1 }
    let start = frame[4] & 0x20 != 0 ? 5 : 6
    switch frame[4] >> 6 {
    case 0: return UInt64(frame[start])
    case 1: return UInt64(frame[start]) | UInt64(frame[start + 1]) << 8 + 256
    default: return frame[start..<(start + 4)].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
  }
}
