internal import Dispatch
import OfflineTree

/// Drives the session: bytes from the stream into it, what it asks for out of it.
extension Connection {
  func committed() {
    queue.async { [weak self] in
      guard let self else { return }
      judgeAgain()
      perform(session?.committed(at: now) ?? [])
    }
  }

  func receivedForSession(_ bytes: ArraySlice<UInt8>) {
    do throws(TreeError) {
      try decoder.received(bytes) { message in
        if session?.isEnded == false { perform(session?.received(message, at: now) ?? []) }
      }
    } catch {
      perform(session?.malformed(error, at: now) ?? [])
    }
  }

  func perform(_ actions: [SessionAction]) {
    for action in actions {
      switch action {
      case .send(let message): send(message)
      case .work(let job):
        worker.perform(job) { [self] result in queue.async { self.completed(result) } }
      case .report(let event): report(event)
      case .close(let end): close(end, silently: false)
      }
    }
    arm()
  }

  private func completed(_ result: Result<SessionAnswer, TreeError>) {
    switch result {
    case .success(let answer): perform(session?.completed(answer, at: now) ?? [])
    case .failure(let error): workFailed(error)
    }
  }

  private func send(_ message: Message) {
    do throws(TreeError) {
      try stream?.send(try message.frame())
    } catch {
      return perform(session?.failed(error, at: now) ?? [])
    }
    if let stream, stream.unsentBytes > ProtocolLimits.heldBytes {
      let error = TreeError(.unavailable, "it does not read what is sent", advice: "Restart the other program")
      perform(session?.disconnected(error, at: now) ?? [])
    }
  }

  private func report(_ event: SessionEvent) {
    switch event {
    case .connected(let peer, _):
      if connectedAt == nil { database.connectionOpened() }
      connectedAt = now.monotonic
      handlers.event(.connected(peer))
    case .acknowledged(let clock, let wallTime):
      if let peer = session?.peer { handlers.event(.acknowledged(peer, clock, wallTime: wallTime)) }
    case .received(let count): handlers.event(.received(count))
    case .lacks(let gap):
      if let peer = session?.peer { handlers.event(.lacks(peer, gap)) }
    case .note(let text): handlers.event(.note(text))
    }
  }
}
