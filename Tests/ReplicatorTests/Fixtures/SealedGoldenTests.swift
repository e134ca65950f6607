import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// Files of a shared folder as they were once written: they open for ever, with the key that they were sealed with.
@Suite(.serialized) struct SealedGoldenTests {
  private let keys: EpochKeys
  private let run: ChangeRun
  private let acknowledgement: Acknowledgement
  /// The acknowledgement's file.
  private let said: [UInt8]
  private let home = Bytes16(64..<80)
  private static let random = Array(UInt8(0)..<32)

  init() throws {
    let (genesis, founder, _) = try Golden.logs()
    var key = Array(UInt8(160)..<192)
    keys = EpochKeys(Secret(&key), space: genesis.spaceID)
    run = founder.run
    let tip = try #require(founder.tip)
    acknowledgement = Acknowledgement(
      peer: PeerIdentity(deviceKey: founder.deviceKey, name: "laptop", homeToken: home), counter: 1_700_000_000_000,
      wallTime: 1_700_000_000_001, clock: VectorClock([tip.position]))
    let (device, space) = (TestDevice(1), genesis.spaceID)
    said = acknowledgement.sealed(keys, random: Self.random) {
      device.signingKey.sign(SignaturePurpose.acknowledge.message(space, $0))
    }
  }

  /// Sealed around a frame that nobody compressed, so that another version of zstd makes the same bytes.
  private func sealedPlainly() throws -> [UInt8] {
    var bodies = ByteWriter()
    Segment.encodeBodies(of: run, to: &bodies)
    let frame = RawFrame(blocks: [.raw(bodies.bytes)], contentSize: UInt32(bodies.count)).bytes
    let segment = try Segment.header(of: run, head: nil, space: keys.space)
    return SealedSegment.seal(
      SealedHeader(epoch: keys.id, segment: segment, frameLength: frame.count), Padding.padded(frame), keys,
      random: Self.random)
  }

  @Test func `golden sealed files are written as they were`() throws {
    let segment = try Segment.header(of: run, head: nil, space: keys.space)
    let names = [
      FolderName.segment(segment, of: home, keys),
      FolderName.acknowledgement(acknowledgement.counter, of: home, keys),
    ]
    let made = [
      Golden.Item("the epoch's id", keys.id.bytes),
      Golden.Item("a segment of \(run.bodies.count) changes, not compressed", try sealedPlainly()),
      Golden.Item("an acknowledgement", said),
      Golden.Item("the segment's name", Array(names[0].description.utf8)),
      Golden.Item("the acknowledgement's name", Array(names[1].description.utf8)),
    ]
    #expect(try Golden("sealed").items(recording: made) == made)
  }

  @Test func `golden sealed files are opened`() throws {
    // How well zstd compresses is its own affair: these bytes only have to open.
    let compressed = Golden.Item(
      "a segment of \(run.bodies.count) changes, compressed", try SealedSegment.seal(run, keys, random: Self.random))
    let files = try Golden("sealed").items()
    let known = [keys.id: keys]
    var expected = run
    expected.epoch = keys.id
    for segment in [files[1], try Golden("sealed-compressed").items(recording: [compressed])[0]] {
      #expect(try SealedSegment(opening: segment.bytes, known: known).run == expected)
    }
    let heard = try Acknowledgement(opening: files[2].bytes, known: known)
    #expect(heard.clock == acknowledgement.clock && heard.peer == acknowledgement.peer)
    #expect(heard.counter == acknowledgement.counter && heard.wallTime == acknowledgement.wallTime)
  }

  /// What came later: a state hash in acknowledgements, and parts of checkpoints.
  @Test func `golden files of the second round are written as they were, and opened`() throws {
    let content = Array("a checkpoint".utf8)
    let whole = CheckpointPart.Whole(
      vouched: try #require(run.bodies.isEmpty ? nil : LogPosition(log: run.log, seq: run.last, hash: run.head)),
      byteCount: content.count, hashes: [Sodium.hash32(content)])
    let part = CheckpointPart(whole, number: 0, hash: Sodium.hash32(content))
    let word = Acknowledgement(
      peer: acknowledgement.peer, counter: acknowledgement.counter, wallTime: acknowledgement.wallTime,
      clock: acknowledgement.clock, state: Bytes16(80..<96))
    let (device, space) = (TestDevice(1), keys.space)
    let sealed = word.sealed(keys, random: Self.random) {
      device.signingKey.sign(SignaturePurpose.acknowledge.message(space, $0))
    }
    let made = [
      Golden.Item("an acknowledgement with a state hash", sealed),
      Golden.Item("a part of a checkpoint", part.sealed(content, keys, random: Self.random)),
      Golden.Item("the part's name", Array(FolderName.checkpoint(part, of: home, keys).description.utf8)),
    ]
    let files = try Golden("sealed-2").items(recording: made)
    #expect(files == made)
    let heard = try Acknowledgement(opening: files[0].bytes, known: [keys.id: keys])
    #expect(heard.clock == word.clock && heard.state == word.state && heard.peer == word.peer)
    let opened = try CheckpointPart.open(files[1].bytes, known: [keys.id: keys])
    #expect(opened.part == part && opened.content == content)
  }
}
