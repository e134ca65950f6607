import OfflineTree
import Replicator

extension FuzzTarget {
  /// What comes over a connection once both ends are proven, however it is cut.
  static let frames = FuzzTarget(
    name: "frames", maximumBytes: 4_096,
    memory: { 64 * $0 + (1 << 18) },
    seeds: {
      SeedMessages.all.enumerated().map { Seed("message-\($0)-\($1.kind)", [UInt8($0)] + SeedMessages.bytes([$1])) }
        + [Seed("all", [3] + SeedMessages.bytes(SeedMessages.all))]
    },
    run: { input throws(FuzzFailure) in
      var input = FuzzInput(input)
      let cuts = input.choice()
      let whole = try received(input.pieces(0))
      let cut = try received(input.pieces(cuts))
      try require(whole.messages == cut.messages, "cuts change what is said")
      try require(whole.error == cut.error, "cuts change what is wrong")
      for message in whole.messages {
        // An unknown reason is read as another one.
        if case .goodbye = message { continue }
        let frame = attempt { () throws(TreeError) in try message.frame() }
        let body = frame.map { Array($0.dropFirst(5)) } ?? []
        let again = attempt { () throws(TreeError) in try Message(message.kind, decoding: body) }
        try require(again == message, "a message does not read what it writes")
      }
    })

  private static func received(
    _ pieces: [ArraySlice<UInt8>]
  ) throws(FuzzFailure) -> (messages: [Message], error: TreeError?) {
    var decoder = FrameDecoder()
    var messages: [Message] = []
    var arrived = 0
    for piece in pieces {
      arrived += piece.count
      do throws(TreeError) {
        try decoder.received(piece) { messages.append($0) }
      } catch {
        return (messages, error)
      }
      try require(decoder.heldBytes <= arrived, "more is held than has come")
    }
    return (messages, nil)
  }

  /// A session whose other end says what it likes, when it likes.
  static let session = FuzzTarget(
    name: "session", maximumBytes: 4_096,
    memory: { 256 * $0 + (1 << 18) },
    seeds: {
      [
        Seed("all", [0, 3] + SeedMessages.bytes(SeedMessages.all)),
        Seed("fork", [3, 7] + SeedMessages.bytes(SeedMessages.fork)),
        Seed(
          "equal",
          [2, 0] + SeedMessages.bytes([SeedMessages.hello] + [.clock(digest: SeedMessages.clock(1).digest, nil)])),
      ]
    },
    run: { input throws(FuzzFailure) in
      var input = FuzzInput(input)
      let (choices, cuts) = (input.byte(), input.choice())
      var driver = SessionDriver(isOnce: choices & 1 == 1, isBehind: choices & 2 != 0, laziness: choices >> 2)
      try driver.run(input.pieces(cuts))
    })
}
