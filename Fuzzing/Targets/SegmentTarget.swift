import OfflineTree
import Replicator

extension FuzzTarget {
  /// The bytes of a plain segment, as a frame carries it.
  static let segment = FuzzTarget(
    name: "segment", maximumBytes: 4_096,
    memory: { 64 * $0 + 65_536 },
    seeds: {
      let runs = SeedRuns.all
      return runs.flatMap { name, run -> [Seed] in
        let bytes = seedBytes { () throws(TreeError) in try Segment.encode(run, space: FuzzSpace.space) }
        return [Seed(name, [0] + bytes), Seed(name + "-mended", [15] + bytes)]
      }
    },
    run: { input throws(FuzzFailure) in
      let bytes = mended(input)
      guard let segment = attempt({ () throws(TreeError) in try Segment(decoding: bytes, space: FuzzSpace.space) })
      else { return }
      let again = attempt { () throws(TreeError) in try Segment.encode(segment.run, space: FuzzSpace.space) }
      try require(again == bytes, "a segment was read that nobody writes so")
      try require(segment.run.bodies.count == segment.header.count, "a segment has not the changes that it counts")
    })

  /// With the fields made right that random bytes never are: a bit for each of space, lengths, head, checks.
  private static func mended(_ input: [UInt8]) -> [UInt8] {
    var input = FuzzInput(input)
    let mends = input.choice()
    var bytes = Array(input.rest)
    let (header, check) = (242, 16)
    guard mends != 0, bytes.count >= header + check else { return bytes }
    let content = bytes[header..<(bytes.count - check)]
    if mends & 1 != 0 { bytes.replaceSubrange(24..<56, with: FuzzSpace.space.bytes) }
    if mends & 2 != 0 { bytes.replaceSubrange(156..<160, with: littleEndian(UInt64(content.count), 4)) }
    if mends & 4 != 0 { mendPlace(&bytes[56..<156], countAt: 96, content) }
    if mends & 8 != 0 {
      bytes.replaceSubrange(226..<242, with: Sodium.hash16(Array(bytes[..<226])).bytes)
      let end = bytes.count - check
      bytes.replaceSubrange(end..., with: Sodium.hash16(Array(bytes[..<end])).bytes)
    }
    return bytes
  }

  /// Count, last number and head as the changes in `content` have them.
  ///
  /// - Parameter place: Log, first number, last number, hash before, head.
  static func mendPlace(_ place: inout ArraySlice<UInt8>, countAt: Int, _ content: ArraySlice<UInt8>) {
    let start = place.startIndex
    let first = place[(start + 16)..<(start + 24)].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 2
    guard let bodies = bodies(in: content), !bodies.isEmpty else { return }
    let run = ChangeRun(
      log: Bytes16(place), first: first, hashBefore: Bytes32(place[(start + 32)...]), bodies: bodies)
    place.replaceSubrange((start + 16)..<(start + 24), with: littleEndian(first, 8))
    place.replaceSubrange((start + 24)..<(start + 32), with: littleEndian(run.last, 8))
    place.replaceSubrange((start + 64)..<(start + 96), with: run.head.bytes)
    place.replaceSubrange((start + countAt)..<(start + countAt + 4), with: littleEndian(UInt64(bodies.count), 4))
  }

  /// The changes that stand in the body of a segment.
  private static func bodies(in content: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
    attempt { () throws(TreeError) in
      var reader = ByteReader(content)
      var bodies: [ArraySlice<UInt8>] = []
      while !reader.isAtEnd { bodies.append(try reader.prefixed("change", limit: content.count)) }
      return bodies
    }
  }
}

func littleEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
}

/// What a decoder gives, or nil where it refuses.
func attempt<Value>(_ body: () throws(TreeError) -> Value) -> Value? {
  do throws(TreeError) {
    return try body()
  } catch {
    return nil
  }
}

/// A seed's bytes: an encoder that refuses them is a mistake in the seed.
func seedBytes(_ body: () throws(TreeError) -> [UInt8]) -> [UInt8] {
  do throws(TreeError) {
    return try body()
  } catch {
    fatalError("a seed cannot be made: \(error)")
  }
}
