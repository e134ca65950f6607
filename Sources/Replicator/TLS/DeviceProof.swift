package import OfflineTree

/// One end's part in the proof of who is at the ends of a channel: a state machine without I/O.
///
/// Tell it what happened, do what it answers, in that order. `docs/protocol.md` has the rules.
package struct DeviceProof: Sendable {
  package struct Configuration: Sendable {
    package var role: ProofRole
    package var space: SpaceID
    /// What only the two ends of this channel have.
    package var exporter: Bytes32
    package var deviceKey: Bytes32
    /// This device's introduction: the other may not have heard of it.
    package var claim: [UInt8]?

    package init(role: ProofRole, space: SpaceID, exporter: Bytes32, deviceKey: Bytes32, claim: [UInt8]?) {
      (self.role, self.space, self.exporter) = (role, space, exporter)
      (self.deviceKey, self.claim) = (deviceKey, claim)
    }
  }

  package enum Action: Equatable, Sendable {
    /// Sign this for the purpose `channel`, and answer with `signed`.
    case sign([UInt8])
    case send(ProofMessage)
    /// May this device take part? Answer with `judged`.
    case judge(Bytes32, claim: [UInt8]?)
    /// Both ends know each other: the session begins.
    case proven(Bytes32, Admission)
    /// Send what is queued, then close. Nothing follows.
    case close(TreeError)
    /// Close at once, and say nothing.
    case closeSilently(TreeError)
  }

  private enum Phase: Equatable {
    case waiting
    case judging(Bytes32)
    case answering(Bytes32, Admission)
    /// The other end is this device: it is told so by this end's proof.
    case meetingOneself
    case ended
  }

  private let configuration: Configuration
  private var phase = Phase.waiting

  package init(_ configuration: Configuration) { self.configuration = configuration }

  /// The channel stands.
  package mutating func started() -> [Action] {
    configuration.role == .client ? [.sign(content(client: configuration.deviceKey))] : []
  }

  package mutating func signed(_ signature: Signature) -> [Action] {
    let message = ProofMessage(
      role: configuration.role, deviceKey: configuration.deviceKey, claim: configuration.claim, signature: signature)
    switch phase {
    case .answering(let key, let admission):
      phase = .ended
      return [.send(message), .proven(key, admission)]
    case .meetingOneself:
      phase = .ended
      return [.send(message), .close(Self.oneself)]
    case .waiting, .judging: return [.send(message)]
    case .ended: return []
    }
  }

  /// The other end's proof.
  package mutating func received(_ message: ProofMessage) -> [Action] {
    guard phase == .waiting, message.role != configuration.role else {
      return end(TreeError(.damaged, "the other end sent a proof out of place"))
    }
    let key = message.deviceKey
    let signed =
      configuration.role == .client ? content(client: configuration.deviceKey, server: key) : content(client: key)
    let bytes = SignaturePurpose.channel.message(configuration.space, signed)
    guard Sodium.isValid(message.signature, of: bytes, byUnknown: key) else {
      return end(
        TreeError(
          .damaged, "the device at the other end could not prove who it is",
          advice: "Somebody may stand between the two devices: connect over another network"))
    }
    if key == configuration.deviceKey {
      guard configuration.role == .server else { return end(Self.oneself) }
      phase = .meetingOneself
      return [.sign(content(client: key, server: key))]
    }
    phase = .judging(key)
    return [.judge(key, claim: message.claim)]
  }

  /// What this end's replica says of the other device; nil: it may not take part.
  package mutating func judged(_ admission: Admission?) -> [Action] {
    guard case .judging(let key) = phase else { return [] }
    guard let admission else { return end(Admission.refusal(of: key)) }
    if configuration.role == .client {
      phase = .ended
      return [.proven(key, admission)]
    }
    phase = .answering(key, admission)
    return [.sign(content(client: key, server: configuration.deviceKey))]
  }

  private mutating func end(_ error: TreeError) -> [Action] {
    phase = .ended
    return [.closeSilently(error)]
  }

  /// "c" ‖ X ‖ the key of the end that dialled.
  private func content(client: Bytes32) -> [UInt8] {
    [ProofRole.client.rawValue] + configuration.exporter.bytes + client.bytes
  }

  /// "s" ‖ X ‖ the key of the end that dialled ‖ the key of the end that listened.
  private func content(client: Bytes32, server: Bytes32) -> [UInt8] {
    [ProofRole.server.rawValue] + configuration.exporter.bytes + client.bytes + server.bytes
  }

  static let oneself = TreeError(
    .invalidArgument, "this device is connected to itself, or to a copy of itself",
    advice: "Give the address of another device; a copy of a home exchanges with it through others")
}
