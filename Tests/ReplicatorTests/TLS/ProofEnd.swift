import OfflineTree

@testable import Replicator

/// A device with a key, and what it thinks of others.
struct ProofEnd {
  static let space = ChannelPair.space
  var proof: DeviceProof
  let key: Bytes32
  private let seed: [UInt8]
  /// Whom this end lets in, and why.
  var admissions: [Bytes32: Admission] = [:]
  /// What it was asked.
  private(set) var judged: [(key: Bytes32, claim: [UInt8]?)] = []
  private(set) var sent: [ProofMessage] = []
  private(set) var proven: (key: Bytes32, admission: Admission)?
  private(set) var closed: TreeError?
  private(set) var isSilent = false

  init(_ role: ProofRole, device: UInt8, exporter: Bytes32, claim: [UInt8]? = nil) {
    seed = [UInt8](repeating: device, count: 32)
    key = Sodium.signingKeyPair(seed: seed).publicKey
    proof = DeviceProof(
      DeviceProof.Configuration(role: role, space: Self.space, exporter: exporter, deviceKey: key, claim: claim))
  }

  static func key(of device: UInt8) -> Bytes32 {
    Sodium.signingKeyPair(seed: [UInt8](repeating: device, count: 32)).publicKey
  }

  func sign(_ content: [UInt8]) -> Signature {
    var secretKey = Sodium.signingKeyPair(seed: seed).secretKey
    return Sodium.sign(SignaturePurpose.channel.message(Self.space, content), Secret(&secretKey))
  }

  mutating func start() { perform(proof.started()) }
  mutating func receive(_ message: ProofMessage) { perform(proof.received(message)) }

  /// Hands over what this end has sent and the other has not got.
  mutating func takeSent() -> [ProofMessage] {
    defer { sent = [] }
    return sent
  }

  private mutating func perform(_ actions: [DeviceProof.Action]) {
    for action in actions {
      switch action {
      case .sign(let content): perform(proof.signed(sign(content)))
      case .send(let message): sent.append(message)
      case .judge(let key, let claim):
        judged.append((key, claim))
        perform(proof.judged(admissions[key]))
      case .proven(let key, let admission): proven = (key, admission)
      case .close(let error): closed = error
      case .closeSilently(let error): (closed, isSilent) = (error, true)
      }
    }
  }
}
