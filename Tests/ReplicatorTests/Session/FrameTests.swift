import OfflineTree
import TestSupport
import Testing

@testable import Replicator

@Suite struct FrameTests {
  static let position = LogPosition(log: LogID(Array(0..<16)), seq: 7, hash: Bytes32(Array(0..<32)))

  static let gap = HistoryGap(log: position.log, first: 7, last: 9, hashBefore: .zero, head: position.hash)

  static let messages: [Message] = [
    .hello(
      Hello(
        space: Bytes32([UInt8](repeating: 1, count: 32)), deviceKey: Bytes32([UInt8](repeating: 2, count: 32)),
        homeToken: Bytes16([UInt8](repeating: 3, count: 16)), wallTime: -5, deviceName: "Ünüs laptop")),
    .clock(digest: VectorClock([position]).digest, nil),
    .clock(digest: VectorClock([position]).digest, VectorClock([position])),
    .clock(digest: VectorClock([]).digest, VectorClock([])),
    .segment([]), .segment([1, 2, 3]), .segment([UInt8](repeating: 9, count: 200_000)),
    .samples(Samples(log: position.log, isAnswer: false, positions: [])),
    .samples(Samples(log: position.log, isAnswer: true, positions: [position])),
    .acknowledge(
      SessionAcknowledgement(
        digest: .zero, sent: 1, handled: .max, handledBytes: 3, isQuiet: true, wallTime: .min,
        state: Bytes16(Array(0..<16)), changed: [position])),
    .want([gap]), .want([HistoryGap](repeating: gap, count: 64)),
    .history(HistoryAnswer(to: gap, bodies: nil)),
    .history(HistoryAnswer(to: gap, bodies: [[1], [2, 3], [UInt8](repeating: 4, count: 300)[...]])),
    .ask(true), .ask(false), .offer(.none), .offer(CheckpointOffer(byteCount: 5_000, floors: [position])),
    .question(.buckets), .question(.parts(bucket: 7, from: [], end: nil)),
    .question(.parts(bucket: 7, from: [1, 2], end: [9])),
    .sums(.buckets(clock: position.hash, (0..<256).map { UInt128($0) << 100 })), .sums(.parts([])),
    .sums(.parts([StateComparison.Part(first: [3, 4, 1], count: 9, sum: .max)])),
    .piece([7, 8]), .ping, .goodbye(Goodbye(.done)), .goodbye(Goodbye(.failed, "the disk is full")),
  ]

  private func decode(_ bytes: [UInt8], inPiecesOf count: Int) throws -> [Message] {
    var decoder = FrameDecoder()
    var result: [Message] = []
    for start in stride(from: 0, to: bytes.count, by: count) {
      try decoder.received(bytes[start..<min(start + count, bytes.count)]) { result.append($0) }
    }
    #expect(decoder.heldBytes == 0)
    return result
  }

  @Test(arguments: [1, 2, 3, 5, 7, 64, 4_096, .max / 2])
  func `messages come back from their frames however the bytes are cut`(piece: Int) throws {
    let bytes = try Self.messages.flatMap { try $0.frame() }
    #expect(try decode(bytes, inPiecesOf: piece) == Self.messages)
  }

  @Test(arguments: MessageKind.allCases)
  func `a length over the limit of its type is refused before its body arrives`(kind: MessageKind) throws {
    func header(_ length: Int) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + [kind.rawValue]
    }
    for length in [kind.limit + 1, 0xFFFF_FFFF] {
      var decoder = FrameDecoder()
      let error = #expect(throws: TreeError.self) { try decoder.received(header(length)[...]) { _ in } }
      #expect(error?.code == .damaged)
    }
    if kind.limit > 0 {
      var decoder = FrameDecoder()
      try decoder.received(header(kind.limit)[...]) { _ in Issue.record("there is no body yet") }
      #expect(decoder.heldBytes == FrameCutter.headerCount)
    }
  }

  @Test(arguments: [0, 8, 47, 71, 255] as [UInt8])
  func `an unknown type is refused`(type: UInt8) {
    var decoder = FrameDecoder()
    #expect(throws: TreeError.self) { try decoder.received([0, 0, 0, 0, type]) { _ in } }
  }

  @Test func `every message that is cut off or goes on too long is refused`() throws {
    for message in Self.messages where message.kind != .segment && message.kind != .piece {
      let body = Array(try message.frame().dropFirst(FrameCutter.headerCount))
      for count in body.indices {
        #expect(throws: TreeError.self, "\(message.kind) of \(count) bytes") {
          try Message(message.kind, decoding: Array(body[..<count]))
        }
      }
      #expect(throws: TreeError.self, "\(message.kind)") { try Message(message.kind, decoding: body + [0]) }
    }
  }

  @Test(arguments: 0..<50)
  func `random bytes never do more than fail`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<200 {
      var decoder = FrameDecoder()
      let bytes = (0..<Int.random(in: 0..<300, using: &random)).map { _ in UInt8.random(in: 0...9, using: &random) }
      do throws(TreeError) {
        try decoder.received(bytes[...]) { _ in }
        #expect(decoder.heldBytes <= bytes.count)
      } catch {
        #expect([.damaged, .unsupportedVersion].contains(error.code), "seed \(seed)")
      }
    }
  }

  @Test func `positions out of order, twice, or of another digest are refused`() throws {
    let later = LogPosition(log: Self.position.log, seq: 8, hash: .zero)
    for positions in [[later, Self.position], [later, later]] {
      var body = ByteWriter()
      body.append(VectorClock(positions).digest)
      body.u8(1)
      body.varint(2)
      for position in positions {
        body.append(position.log)
        body.u64(position.seq)
        body.append(position.hash)
      }
      #expect(throws: TreeError.self) { try Message(.clock, decoding: body.bytes) }
    }
    let wrong = try Message.clock(digest: .zero, VectorClock([later])).frame()
    #expect(throws: TreeError.self) { try Message(.clock, decoding: Array(wrong.dropFirst(5))) }
  }

  @Test func `long names and reasons are cut at a character`() throws {
    let long = String(repeating: "ß", count: 1_000)
    let frame = try Message.goodbye(Goodbye(.failed, long)).frame()
    guard case .goodbye(let goodbye) = try decode(frame, inPiecesOf: 9).first else {
      Issue.record("no goodbye")
      return
    }
    #expect(goodbye.text.utf8.count == Goodbye.textBytes)
    #expect(long.hasPrefix(goodbye.text))
  }

  @Test func `a hello of another version is told from garbage`() throws {
    var frame = try Self.messages[0].frame()
    frame[FrameCutter.headerCount + 4] = 4
    #expect(throws: TreeError.self) { try decode(frame, inPiecesOf: 50) }
    do throws(TreeError) {
      _ = try Message(.hello, decoding: Array(frame.dropFirst(FrameCutter.headerCount)))
    } catch {
      #expect(error.code == .unsupportedVersion)
    }
  }
}
