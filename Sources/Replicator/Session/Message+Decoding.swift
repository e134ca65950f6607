package import OfflineTree

extension Message {
  /// Reads the body of a frame, which is within the limit of its kind.
  ///
  /// - Throws: `.damaged`, or `.unsupportedVersion` for the hello of another version.
  package init(_ kind: MessageKind, decoding body: [UInt8]) throws(TreeError) {
    if kind == .segment || kind == .piece {
      self = kind == .segment ? .segment(body) : .piece(body)
      return
    }
    var reader = ByteReader(body)
    switch kind {
    case .hello: self = .hello(try Hello(decoding: &reader))
    case .clock: self = try Self.clock(&reader)
    case .samples: self = .samples(try Samples(decoding: &reader))
    case .acknowledge: self = .acknowledge(try SessionAcknowledgement(decoding: &reader))
    case .goodbye: self = .goodbye(try Goodbye(decoding: &reader))
    case .want: self = .want(try Self.gaps(&reader))
    case .history: self = .history(try HistoryAnswer(decoding: &reader))
    case .ask: self = .ask(try reader.flag("wish for a checkpoint"))
    case .offer: self = .offer(try CheckpointOffer(decoding: &reader))
    case .question: self = .question(try StateComparison.Question(decoding: &reader))
    case .sums: self = .sums(try StateComparison.Answer(decoding: &reader))
    case .wish: self = .wish(try Self.ids(&reader, limit: ProtocolLimits.chunks))
    case .chunk: self = .chunk(try ChunkAnswer(decoding: &reader))
    case .have: self = .have(try Self.ids(&reader, limit: ProtocolLimits.chunksInWord))
    case .ping, .segment, .piece: self = .ping
    }
    try reader.finish("message")
  }

  private static func clock(_ reader: inout ByteReader) throws(TreeError) -> Message {
    let digest = try reader.bytes32("clock's digest")
    guard try reader.flag("clock's positions") else { return .clock(digest: digest, nil) }
    let clock = VectorClock(try positions(&reader))
    guard clock.digest == digest else { throw reader.damaged("clock", "does not agree with its digest") }
    return .clock(digest: digest, clock)
  }

  static func positions(_ reader: inout ByteReader) throws(TreeError) -> [LogPosition] {
    try positions(&reader) { reader throws(TreeError) in
      let log = try reader.bytes16("position's log")
      return LogPosition(log: log, seq: try reader.u64("position"), hash: try reader.bytes32("position's hash"))
    }
  }

  /// A count, then so many positions, strictly ascending.
  static func positions(
    _ reader: inout ByteReader, _ next: (inout ByteReader) throws(TreeError) -> LogPosition
  ) throws(TreeError) -> [LogPosition] {
    let count = try reader.count("positions", limit: ProtocolLimits.positions)
    var positions: [LogPosition] = []
    for _ in 0..<count {
      let position = try next(&reader)
      if let last = positions.last, !(last < position) { throw reader.damaged("positions", "are not sorted") }
      positions.append(position)
    }
    return positions
  }
}

extension ByteReader {
  /// A byte that is 0 or 1.
  mutating func flag(_ what: StaticString) throws(TreeError) -> Bool {
    let byte = try u8(what)
    guard byte < 2 else { throw damaged(what, "is neither 0 nor 1") }
    return byte == 1
  }

  mutating func text(_ what: StaticString, limit: Int) throws(TreeError) -> String {
    guard let text = String(validating: try prefixed(what, limit: limit), as: UTF8.self) else {
      throw damaged(what, "is not UTF-8")
    }
    return text
  }
}

extension Hello {
  init(decoding reader: inout ByteReader) throws(TreeError) {
    guard try reader.bytes(4, "hello's magic").elementsEqual(Hello.magic) else {
      throw TreeError(
        .damaged, "the other end does not speak this protocol",
        advice: "Check the address: it must be that of an OfflineTree program that listens")
    }
    let version = try reader.u16("protocol version")
    guard version == Hello.version else { throw Hello.otherVersion(version) }
    space = try reader.bytes32("space")
    deviceKey = try reader.bytes32("device key")
    homeToken = try reader.bytes16("home token")
    wallTime = Int64(bitPattern: try reader.u64("wall time"))
    deviceName = try reader.text("device name", limit: Limits.nameBytes)
  }
}

extension Hello {
  static func otherVersion(_ version: UInt16) -> TreeError {
    TreeError(
      .unsupportedVersion, "the other end speaks version \(version) of the protocol, this one \(Hello.version)",
      advice: "Update the older of the two programs")
  }
}

extension Samples {
  init(decoding reader: inout ByteReader) throws(TreeError) {
    let log = try reader.bytes16("log")
    self.log = log
    isAnswer = try reader.flag("samples' direction")
    positions = try Message.positions(&reader) { reader throws(TreeError) in
      LogPosition(log: log, seq: try reader.u64("position"), hash: try reader.bytes32("position's hash"))
    }
  }
}

extension SessionAcknowledgement {
  init(decoding reader: inout ByteReader) throws(TreeError) {
    digest = try reader.bytes32("digest")
    sent = try reader.u64("count of sent messages")
    handled = try reader.u64("count of handled messages")
    handledBytes = try reader.u64("count of handled bytes")
    isQuiet = try reader.flag("quiet")
    wallTime = Int64(bitPattern: try reader.u64("wall time"))
    state = try reader.bytes16("state hash")
    changed = try Message.positions(&reader)
  }
}

extension Goodbye {
  init(decoding reader: inout ByteReader) throws(TreeError) {
    reason = Reason(rawValue: try reader.u8("reason")) ?? .failed
    text = try reader.text("reason's text", limit: Goodbye.textBytes)
  }
}
