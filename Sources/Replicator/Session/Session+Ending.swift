package import OfflineTree

extension Session {
  /// When nothing is under way: done, or the clocks once more, or rest.
  mutating func settle() {
    guard isQuiet, isHandledByPeer, let peerQuiet else { return }
    let isStanding = handled == peerQuiet.sent
    if peerQuiet.digest != toldDigest, isStanding, mayRepeat(with: peerQuiet.digest), let told {
      comparedDigests = [toldDigest, peerQuiet.digest]
      mayRepeatAt = now.monotonic + ProtocolLimits.repeatInterval
      tell(told)
    } else if configuration.isOnce {
      end(.finished(.done), saying: Goodbye(.done))
    }
  }

  private func mayRepeat(with digest: Bytes32) -> Bool {
    comparedDigests != [toldDigest, digest] && (configuration.isOnce || now.monotonic >= mayRepeatAt)
  }

  /// The program shuts down.
  package mutating func stopped(at time: SessionTime) -> [SessionAction] {
    step(time) { $0.end(.finished(.closing), saying: Goodbye(.closing)) }
  }

  /// This end cannot go on: its database failed.
  package mutating func failed(_ error: TreeError, at time: SessionTime) -> [SessionAction] {
    step(time) { $0.fail(.failed, error) }
  }

  /// Bytes arrived that are no message.
  package mutating func malformed(_ error: TreeError, at time: SessionTime) -> [SessionAction] {
    step(time) { $0.fail(error.code == .unsupportedVersion ? .version : .malformed, error) }
  }

  /// This end has no room for another connection.
  package mutating func refused(_ error: TreeError, at time: SessionTime) -> [SessionAction] {
    step(time) { $0.fail(.busy, error) }
  }

  /// The stream ended without a goodbye.
  package mutating func disconnected(_ error: TreeError?, at time: SessionTime) -> [SessionAction] {
    step(time) {
      $0.end(
        .failed(
          error
            ?? TreeError(
              .unavailable, "the other end closed the connection without a word",
              advice: "It is tried again; nothing is lost")), saying: nil)
    }
  }

  mutating func receivedGoodbye(_ goodbye: Goodbye) {
    end(goodbye.end(isOnce: configuration.isOnce), saying: nil)
  }
}

extension Goodbye {
  /// How a connection ended at whose other end this was said.
  func end(isOnce: Bool) -> SessionEnd {
    let text = printable(text)
    let said = text.isEmpty ? "it gave no reason" : text
    func failed(_ code: TreeError.Code, _ context: String, _ advice: String = "") -> SessionEnd {
      .failed(TreeError(code, context, advice: advice))
    }
    switch reason {
    case .done: return .finished(.done)
    case .closing where !isOnce: return .finished(.closing)
    case .closing:
      return failed(.unavailable, "the other end shut down before all was exchanged", "Sync again when it is back")
    case .version: return failed(.unsupportedVersion, "the other end speaks another version of the protocol: \(said)")
    case .space, .oneself: return failed(.invalidArgument, "the other end refused: \(said)")
    case .malformed: return failed(.damaged, "the other end could not read what this one sent: \(said)")
    case .busy: return failed(.unavailable, "the other end has no room: \(said)", "Try again later")
    case .failed: return failed(.unavailable, "the other end cannot go on: \(said)", "Look at the other device")
    }
  }
}
