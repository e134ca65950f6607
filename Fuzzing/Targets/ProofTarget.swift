import OfflineTree
import Replicator

extension FuzzTarget {
  /// The frame by which a device proves itself, and what comes behind it, however it is cut.
  static let proof = FuzzTarget(
    name: "proof", maximumBytes: 12_288,
    // Cut byte by byte, the input itself takes 32 bytes for each, twice.
    memory: { 256 * $0 + 65_536 },
    seeds: {
      [ProofRole.client, .server].flatMap { role -> [Seed] in
        let message = message(by: role, claim: SeedChanges.introduction(.open).encoded)
        let frame = seedBytes { () throws(TreeError) in try message.frame() }
        let bit: UInt8 = role == .client ? 0 : 1
        return [
          Seed("\(role)", [bit, 0] + frame + [1, 2, 3]), Seed("\(role)-refused", [bit | 4, 5] + frame),
          Seed("\(role)-claim", [bit | 2, 3] + SeedChanges.introduction(.open).encoded),
        ]
      } + [Seed("goodbye", [0, 1] + SeedMessages.bytes([SeedMessages.goodbye]))]
    },
    run: { input throws(FuzzFailure) in
      var input = FuzzInput(input)
      let (choices, cuts) = (input.byte(), input.choice())
      let role = choices & 1 == 0 ? ProofRole.client : .server
      if choices & 2 != 0 {
        // A device that holds its key says what it likes of itself.
        let frame = attempt { () throws(TreeError) in try message(by: role, claim: Array(input.rest)).frame() }
        input = FuzzInput(frame ?? [])
      }
      let whole = try decoded(role, input.pieces(0))
      let cut = try decoded(role, input.pieces(cuts))
      try require(whole.frame == cut.frame && whole.error == cut.error, "cuts change what is proven")
      if case .proof(let message)? = whole.frame, whole.error == nil {
        try judge(message, role, isAdmitted: choices & 4 == 0)
      }
    })

  private static let exporter = Bytes32(repeatElement(3, count: 32))

  private static func decoded(
    _ role: ProofRole, _ pieces: [ArraySlice<UInt8>]
  ) throws(FuzzFailure) -> (frame: ProofDecoder.Frame?, error: TreeError?) {
    var decoder = ProofDecoder(expecting: role)
    var found: ProofDecoder.Frame?
    for piece in pieces {
      do throws(TreeError) {
        found = try decoder.received(piece) ?? found
      } catch {
        return (nil, error)
      }
      try require(decoder.rest.count <= ProtocolLimits.earlyBytes, "more is held than a stranger may send")
    }
    return (found, nil)
  }

  /// What this end does about what the other end, in its role, says of itself.
  private static func judge(_ message: ProofMessage, _ role: ProofRole, isAdmitted: Bool) throws(FuzzFailure) {
    let isServer = role == .client
    let own = isServer ? FuzzSpace.server : FuzzSpace.client
    var proof = DeviceProof(
      DeviceProof.Configuration(
        role: isServer ? .server : .client, space: FuzzSpace.space, exporter: exporter, deviceKey: own.publicKey,
        claim: nil))
    var waiting = proof.started() + proof.received(message)
    while !waiting.isEmpty {
      let action = waiting.removeFirst()
      switch action {
      case .sign(let content):
        waiting += proof.signed(own.sign(SignaturePurpose.channel.message(FuzzSpace.space, content)))
      case .judge: waiting += proof.judged(isAdmitted ? .member : nil)
      case .proven(let key, _):
        try require(isAdmitted && key == message.deviceKey, "a device was let in that was not admitted")
      case .send, .close, .closeSilently: break
      }
    }
  }

  /// What a device says of itself that holds its key.
  private static func message(by role: ProofRole, claim: [UInt8]?) -> ProofMessage {
    let isClient = role == .client
    let own = isClient ? FuzzSpace.client : FuzzSpace.server
    let keys = FuzzSpace.client.publicKey.bytes + (isClient ? [] : FuzzSpace.server.publicKey.bytes)
    let content = [role.rawValue] + exporter.bytes + keys
    return ProofMessage(
      role: role, deviceKey: own.publicKey, claim: claim,
      signature: own.sign(SignaturePurpose.channel.message(FuzzSpace.space, content)))
  }
}
