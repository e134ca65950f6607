internal import Dispatch
import OfflineTree

/// From the end of the handshake to the beginning of the session.
extension Connection {
  /// Says goodbye, if there is somebody to say it to, and closes.
  func stop() {
    queue.async { [self] in
      if session == nil {
        close(.finished(.closing), silently: true)
      } else {
        perform(session?.stopped(at: now) ?? [])
      }
    }
  }

  /// Makes room: closes without a word, unless the other end has proven meanwhile who it is.
  func giveWay(_ error: TreeError) {
    queue.async { [self] in
      if session == nil { close(.failed(error), silently: true) }
    }
  }

  /// Tells the other end, which has proven itself, that there is no room, and closes.
  func refuse(_ error: TreeError) {
    queue.async { [self] in perform(session?.refused(error, at: now) ?? []) }
  }

  func beginProof() {
    do throws(TreeError) {
      guard let channel = stream?.channel else { return }
      let proof = DeviceProof(
        DeviceProof.Configuration(
          role: side.role, space: database.spaceID, exporter: try channel.exported(for: database.spaceID),
          deviceKey: database.deviceKey, claim: try membership.claim()))
      self.proof = proof
      openingDeadline = now.monotonic + ProtocolLimits.proofDeadline
      handlers.keyed()
      perform(self.proof?.started() ?? [])
      arm()
    } catch {
      close(.failed(error), silently: true)
    }
  }

  func receivedForProof(_ bytes: ArraySlice<UInt8>) {
    do throws(TreeError) {
      switch try proofDecoder.received(bytes) {
      case .proof(let message): perform(proof?.received(message) ?? [])
      case .goodbye(let goodbye): close(goodbye.end(isOnce: isOnce), silently: true)
      case nil: break
      }
    } catch {
      guard error.code == .unsupportedVersion else { return close(.failed(error), silently: true) }
      sayGoodbye(Goodbye(.version, error.description))
      close(.failed(error), silently: false)
    }
  }

  private func sayGoodbye(_ goodbye: Goodbye) {
    do throws(TreeError) {
      try stream?.send(try Message.goodbye(goodbye).frame())
    } catch {
      close(.failed(error), silently: true)
    }
  }

  private func perform(_ actions: [DeviceProof.Action]) {
    do throws(TreeError) {
      for action in actions where end == nil { try perform(action) }
    } catch {
      close(.failed(error), silently: true)
    }
  }

  private func perform(_ action: DeviceProof.Action) throws(TreeError) {
    switch action {
    case .sign(let content): perform(proof?.signed(membership.sign(content)) ?? [])
    case .send(let message): try stream?.send(try message.frame())
    case .judge(let key, let claim):
      let admission = try membership.admission(of: key, claim: claim)
      perform(proof?.judged(admission) ?? [])
    case .proven(let key, let admission): try beginSession(with: key, admission)
    case .close(let error): close(.failed(error), silently: false)
    case .closeSilently(let error): close(.failed(error), silently: true)
    }
  }

  private func beginSession(with key: Bytes32, _ admission: Admission) throws(TreeError) {
    peerKey = key
    worker.admit(key, admission)
    if case .unjudged(let deadline) = admission { judgementDeadline = deadline }
    session = Session(
      Session.Configuration(
        space: database.spaceID, identity: database.identity, peerKey: key, isOnce: isOnce))
    observation = try database.onCommit { [weak self] in self?.committed() }
    handlers.proven(admission)
    perform(session?.started(at: now) ?? [])
    // A commit may have come between the judgement and the observation.
    judgeAgain()
    receivedForSession(proofDecoder.rest[...])
  }

  /// Asks anew whether the other end may stay: at most one question at a time.
  func judgeAgain() {
    guard end == nil else { return }
    if isJudging {
      mustJudgeAgain = true
      return
    }
    isJudging = true
    mustJudgeAgain = false
    worker.judge { [self] result in queue.async { self.judgedAgain(result) } }
  }

  private func judgedAgain(_ result: Result<Void, TreeError>) {
    isJudging = false
    switch result {
    case .success: if mustJudgeAgain { judgeAgain() }
    case .failure(let error): workFailed(error)
    }
  }

  /// The database failed, or the other end may not stay: then it is cut off without a word.
  func workFailed(_ error: TreeError) {
    guard let peerKey, error == Admission.refusal(of: peerKey) else {
      return perform(session?.failed(error, at: now) ?? [])
    }
    close(.failed(error), silently: true)
    perform(session?.disconnected(error, at: now) ?? [])
  }
}

extension Connection {
  static func keyRefused(_ error: TreeError?) -> TreeError {
    TreeError(
      .unavailable, "nobody there knows this space's key, or it is another program",
      advice: "Check the address, and that both devices belong to the same space", underlying: error?.underlying)
  }

  static let handshakeLate = TreeError(
    .unavailable, "no handshake within \(ProtocolLimits.handshakeDeadline / 1_000_000_000) seconds",
    advice: "Check the address: it must be that of an OfflineTree program that listens")

  static let proofRefused = TreeError(
    .unavailable, "the other end knows the space's key, and closed without a word",
    advice: "One of the two devices was removed, or the other has not heard of it yet: "
      + "exchange with a device that knows both, or ask an owner")

  static let proofLate = TreeError(
    .unavailable, "no proof of the device within \(ProtocolLimits.proofDeadline / 1_000_000_000) seconds",
    advice: "It is tried again; nothing is lost")
}
