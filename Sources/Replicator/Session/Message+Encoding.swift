package import OfflineTree

extension Message {
  package var kind: MessageKind {
    switch self {
    case .hello: .hello
    case .clock: .clock
    case .segment: .segment
    case .samples: .samples
    case .acknowledge: .acknowledge
    case .ping: .ping
    case .goodbye: .goodbye
    case .want: .want
    case .history: .history
    case .ask: .ask
    case .offer: .offer
    case .piece: .piece
    case .question: .question
    case .sums: .sums
    case .wish: .wish
    case .chunk: .chunk
    case .have: .have
    }
  }

  /// The whole frame.
  ///
  /// - Throws: `.limitExceeded` if the body is beyond the limit of its type: the other end would refuse it.
  package func frame() throws(TreeError) -> [UInt8] {
    try FrameCutter.frame(type: kind.rawValue, limit: kind.limit, capacity: bodyCapacity) { encode(to: &$0) }
  }

  private var bodyCapacity: Int {
    switch self {
    case .segment(let bytes), .piece(let bytes): bytes.count
    case .history(let answer): 128 + (answer.bodies?.reduce(0) { $0 + $1.count + 4 } ?? 0)
    case .want(let gaps): 8 + 96 * gaps.count
    case .wish(let ids), .have(let ids): 8 + 32 * ids.count
    case .chunk(let answer): 40 + answer.weight
    case .clock(_, let clock): 64 + 56 * (clock?.positions.count ?? 0)
    default: 256
    }
  }

  private func encode(to writer: inout ByteWriter) {
    switch self {
    case .hello(let hello): hello.encode(to: &writer)
    case .clock(let digest, let clock):
      writer.append(digest)
      writer.u8(clock == nil ? 0 : 1)
      if let clock { Self.encode(clock.positions, to: &writer) }
    case .segment(let bytes), .piece(let bytes): writer.append(bytes)
    case .ask(let wants): writer.u8(wants ? 1 : 0)
    case .offer(let offer):
      writer.varint(offer.byteCount)
      if offer.byteCount > 0 { Self.encode(offer.floors, to: &writer) }
    case .samples(let samples):
      writer.append(samples.log)
      writer.u8(samples.isAnswer ? 1 : 0)
      writer.varint(samples.positions.count)
      for position in samples.positions {
        writer.u64(position.seq)
        writer.append(position.hash)
      }
    case .acknowledge(let acknowledgement): acknowledgement.encode(to: &writer)
    case .ping: break
    case .goodbye(let goodbye):
      writer.u8(goodbye.reason.rawValue)
      writer.prefixed(bounded(goodbye.text, toBytes: Goodbye.textBytes))
    case .want(let gaps):
      writer.varint(gaps.count)
      for gap in gaps { gap.encode(to: &writer) }
    case .history(let answer): answer.encode(to: &writer)
    case .question(let question): question.encode(to: &writer)
    case .sums(let sums): sums.encode(to: &writer)
    case .wish(let ids), .have(let ids): Self.encode(ids: ids, to: &writer)
    case .chunk(let answer): answer.encode(to: &writer)
    }
  }

  static func encode(_ positions: [LogPosition], to writer: inout ByteWriter) {
    writer.varint(positions.count)
    for position in positions {
      writer.append(position.log)
      writer.u64(position.seq)
      writer.append(position.hash)
    }
  }
}

extension Hello {
  func encode(to writer: inout ByteWriter) {
    writer.append(Hello.magic)
    writer.u16(Hello.version)
    writer.append(space)
    writer.append(deviceKey)
    writer.append(homeToken)
    writer.u64(UInt64(bitPattern: wallTime))
    writer.prefixed(bounded(deviceName, toBytes: Limits.nameBytes))
  }
}

extension SessionAcknowledgement {
  func encode(to writer: inout ByteWriter) {
    writer.append(digest)
    writer.u64(sent)
    writer.u64(handled)
    writer.u64(handledBytes)
    writer.u8(isQuiet ? 1 : 0)
    writer.u64(UInt64(bitPattern: wallTime))
    writer.append(state)
    Message.encode(changed, to: &writer)
  }
}

/// The longest prefix of whole characters that has at most `count` bytes.
private func bounded(_ text: String, toBytes count: Int) -> String {
  if text.utf8.count <= count { return text }
  var (result, used) = ("", 0)
  for scalar in text.unicodeScalars {
    used += UTF8.width(scalar)
    if used > count { break }
    result.unicodeScalars.append(scalar)
  }
  return result
}
