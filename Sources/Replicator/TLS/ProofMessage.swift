package import OfflineTree

/// Which end of a connection a device is at: the byte that is signed, and the type of the frame.
package enum ProofRole: UInt8, Sendable {
  /// It dialled: "c".
  case client = 0x63
  /// It listened: "s".
  case server = 0x73
}

/// What a device says of itself once the channel stands. `docs/protocol.md` has the bytes and the rules.
package struct ProofMessage: Equatable, Sendable {
  package static let version: UInt16 = 1
  /// The largest body, in bytes.
  static let limit = 2_048

  package var role: ProofRole
  package var deviceKey: Bytes32
  /// The device's introduction: the other end may not have heard of it.
  package var claim: [UInt8]?
  package var signature: Signature

  package init(role: ProofRole, deviceKey: Bytes32, claim: [UInt8]?, signature: Signature) {
    (self.role, self.deviceKey, self.claim, self.signature) = (role, deviceKey, claim, signature)
  }

  /// The whole frame.
  ///
  /// - Throws: `.limitExceeded` if the claim is too long to be sent.
  package func frame() throws(TreeError) -> [UInt8] {
    guard claim?.count ?? 0 <= ProtocolLimits.claimBytes else {
      throw TreeError(.limitExceeded, "this device's introduction is too long to be shown to another device")
    }
    return try FrameCutter.frame(type: role.rawValue, limit: Self.limit, capacity: Self.limit) { writer in
      writer.u16(Self.version)
      writer.append(deviceKey)
      writer.prefixed(claim ?? [])
      writer.append(signature.bytes)
    }
  }

  init(_ role: ProofRole, decoding body: [UInt8]) throws(TreeError) {
    var reader = ByteReader(body)
    let version = try reader.u16("protocol version")
    guard version == Self.version else { throw Hello.otherVersion(version) }
    self.role = role
    deviceKey = try reader.bytes32("device key")
    let claim = try reader.prefixed("claim", limit: ProtocolLimits.claimBytes)
    self.claim = claim.isEmpty ? nil : Array(claim)
    signature = Signature(try reader.bytes(Signature.byteCount, "signature"))
    try reader.finish("proof")
  }
}

/// Cuts out of a stream the one frame that comes before a session, and keeps what is behind it.
package struct ProofDecoder: Sendable {
  package enum Frame: Equatable, Sendable {
    case proof(ProofMessage)
    /// The other end closes, and says why.
    case goodbye(Goodbye)
  }

  private let expected: ProofRole
  private var cutter = FrameCutter()
  private var frame: Frame?
  /// What came behind the frame.
  package private(set) var rest: [UInt8] = []

  /// - Parameter expected: The role of the other end.
  package init(expecting expected: ProofRole) { self.expected = expected }

  /// The frame, when `bytes` complete it.
  ///
  /// - Throws: `.damaged`, or `.unsupportedVersion` for a proof of another version.
  package mutating func received(_ bytes: ArraySlice<UInt8>) throws(TreeError) -> Frame? {
    var bytes = bytes
    var found: Frame?
    if frame == nil {
      found = try cutter.next(
        &bytes, limit: { [expected] (type) throws(TreeError) in try Self.limit(of: type, expected) }
      )
      .map(decode)
      frame = found
    }
    guard rest.count + bytes.count <= ProtocolLimits.earlyBytes else {
      throw TreeError(.damaged, "the other end sent more before it was let in than it may")
    }
    rest += bytes
    return found
  }

  private static func limit(of type: UInt8, _ expected: ProofRole) throws(TreeError) -> Int {
    switch type {
    case expected.rawValue: return ProofMessage.limit
    case MessageKind.goodbye.rawValue: return MessageKind.goodbye.limit
    default:
      throw TreeError(
        .damaged, "the other end sent a message of type \(type) in place of its proof",
        advice: "Update both programs to the same version")
    }
  }

  private func decode(_ type: UInt8, _ body: [UInt8]) throws(TreeError) -> Frame {
    if type == expected.rawValue { return .proof(try ProofMessage(expected, decoding: body)) }
    guard case .goodbye(let goodbye) = try Message(.goodbye, decoding: body) else {
      throw TreeError(.internal, "a goodbye is no goodbye")
    }
    return .goodbye(goodbye)
  }
}
