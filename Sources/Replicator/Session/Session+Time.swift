import OfflineTree

extension Session {
  /// The time to call `tick` at, in the monotonic clock's nanoseconds. It may move later with every step.
  package var deadline: UInt64 {
    var deadline = min(lastSent + ProtocolLimits.pingInterval, lastReceived + ProtocolLimits.silence)
    if configuration.isOnce { deadline = min(deadline, lastMoved + ProtocolLimits.stall) }
    if phase == .greeting { deadline = min(deadline, startedAt + ProtocolLimits.helloDeadline) }
    if chunks.lookAt > 0 { deadline = min(deadline, chunks.lookAt) }
    if isDifferenceStanding { deadline = min(deadline, max(mayRepeatAt, now.monotonic + 1_000_000)) }
    return deadline
  }

  /// Would a clock with positions be sent now, were it not too soon?
  private var isDifferenceStanding: Bool {
    guard isQuiet, isHandledByPeer, let peerQuiet else { return false }
    return peerQuiet.digest != toldDigest && handled == peerQuiet.sent
      && comparedDigests != [toldDigest, peerQuiet.digest]
  }

  /// Time passed.
  package mutating func tick(_ time: SessionTime) -> [SessionAction] {
    step(time) { session in
      if session.phase == .greeting, time.monotonic >= session.startedAt + ProtocolLimits.helloDeadline {
        return session.fail(
          .malformed,
          TreeError(
            .unavailable, "no hello came within \(ProtocolLimits.helloDeadline / 1_000_000_000) seconds",
            advice: "Check the address: it must be that of an OfflineTree program that listens"))
      }
      if time.monotonic >= session.lastReceived + ProtocolLimits.silence {
        return session.end(
          .failed(
            TreeError(
              .unavailable, "nothing was heard for \(ProtocolLimits.silence / 1_000_000_000) seconds",
              advice: "It is tried again; nothing is lost")), saying: nil)
      }
      if session.configuration.isOnce, time.monotonic >= session.lastMoved + ProtocolLimits.stall {
        return session.fail(
          .closing,
          TreeError(
            .unavailable, "nothing moved for \(ProtocolLimits.stall / 1_000_000_000) seconds",
            advice: "What has come is kept; sync again"))
      }
      if session.chunks.lookAt > 0, time.monotonic >= session.chunks.lookAt {
        session.chunks.lookAt = 0
        session.chunks.mustLook = true
      }
      if time.monotonic >= session.lastSent + ProtocolLimits.pingInterval { session.send(.ping) }
    }
  }
}
