package import OfflineTree

/// What the driver of a session has to do, in the order given.
package enum SessionAction: Equatable, Sendable {
  case send(Message)
  /// Work on the database, one job after another, each answered by `Session.completed`.
  case work(SessionJob)
  case report(SessionEvent)
  /// Send what is queued, then close. Nothing follows.
  case close(SessionEnd)
}

/// Work on the database, which blocks and therefore is not the session's.
package enum SessionJob: Equatable, Sendable {
  case readClock
  /// Begin, or go on, with what a peer at this clock lacks, and find what it has and this database has not.
  case compare(VectorClock)
  /// The bytes of segments, in their order.
  case apply([[UInt8]])
  /// A fork: send the log's branches from the last of these positions that is here as well.
  case restart(Samples)
  /// Read the samples of a log.
  case sample(LogID, isAnswer: Bool)
  /// Stop writing to the current log.
  case leaveLog
  /// Take the next piece of what the peer lacks.
  case pull(maximumBytes: Int)
  /// Find what was dropped here and is needed, oldest first, at most so many gaps.
  case findWanted(limit: Int)
  /// Read what the peer asks for.
  case readHistory(HistoryGap)
  /// Fill in what was fetched.
  case fill([ChangeRun])
  /// Read the checkpoint that newcomers get.
  case readCheckpoint
  /// Begin with a checkpoint.
  case begin(with: [UInt8], floors: [LogPosition])
  /// Read the state hash, and the digest of the clock that it belongs to.
  case readState
  /// Begin to look for the place where two states differ, or go on with an answer.
  case search(StateComparison.Answer?)
  /// Sum up what the peer would like to know.
  case sum(StateComparison.Question)
  /// Find chunks of files that are wanted and not here.
  /// Also those that other sessions ask for, if `isAlone`.
  case findChunks(limit: Int, without: Set<Bytes32>, isAlone: Bool)
  /// Read a chunk that the peer asks for.
  case readChunk(Bytes32)
  /// Keep chunks that came; what did not come others may ask for.
  case keepChunks([ChunkAnswer])
  /// Find out which of these are here by now.
  case findMissed([Bytes32])
}

/// What came of a job.
package enum SessionAnswer: Sendable {
  case clock(VectorClock)
  case compared(SessionComparison)
  case applied(SessionApplication)
  case restarted
  case sampled(Samples)
  case leftLog
  /// Segments, how many changes they hold, and the clock from just before they were taken: with no segments,
  /// everything in that clock has been handed out.
  case pulled([[UInt8]], changes: Int, clock: VectorClock)
  case wanted([HistoryGap])
  case history(HistoryAnswer)
  case filled(SessionFilling)
  /// A checkpoint, nil if there is none, and up to where every keeper has each log.
  case checkpoint([UInt8]?, floors: [LogPosition])
  /// This database's clock now; and why the checkpoint was not taken, if it was not.
  case begun(VectorClock, TreeError?)
  case state(digest: Bytes32, Bytes16)
  case searched(SessionSearch)
  case summed(StateComparison.Answer)
  /// Whether others are asked for by another session.
  case foundChunks([Bytes32], isMore: Bool)
  case chunk(ChunkAnswer)
  /// How many were kept, and which were not what they should be.
  case keptChunks(Int, refused: [Bytes32: TreeError])
  case foundMissed([Bytes32])
}

package struct SessionComparison: Sendable {
  /// This database's clock.
  package var clock: VectorClock
  /// The log that this device writes now.
  package var currentLog: LogID?
  /// Those of the peer's positions that this database does not have.
  package var unknown: [LogPosition]

  package init(clock: VectorClock, currentLog: LogID?, unknown: [LogPosition]) {
    self.clock = clock
    self.currentLog = currentLog
    self.unknown = unknown
  }
}

package struct SessionApplication: Sendable {
  package var clock: VectorClock
  /// Changes in the segments.
  package var arrived = 0
  /// Changes that are new here, those included that had waited for what arrived.
  package var applied = 0
  package var duplicates = 0
  package var forked: [LogID] = []
  package var holes: [SyncReport.Hole] = []
  package var refused: [SyncReport.Refusal] = []
  /// Does something of it wait for what was dropped here?
  package var needsHistory = false
  /// Has it changed which files there are?
  package var changedFiles = false

  package init(clock: VectorClock) { self.clock = clock }
}

/// How a search for the place of a difference goes on.
package enum SessionSearch: Sendable {
  case ask(StateComparison.Question)
  /// Where the two differ; nowhere if they no longer have the same changes.
  case ended([Path])
}

package struct SessionFilling: Sendable {
  package var clock: VectorClock
  /// Changes whose bodies are here again.
  package var filled = 0
  /// Changes that had waited for them and are applied.
  package var applied = 0

  package init(clock: VectorClock) { self.clock = clock }
}

/// What a session tells whoever watches it.
package enum SessionEvent: Equatable, Sendable {
  case connected(PeerIdentity, wallTime: Int64)
  /// The peer has, durably, everything in this clock.
  case acknowledged(VectorClock, wallTime: Int64)
  case received(Int)
  /// The peer was asked for dropped history, and does not have it.
  case lacks(HistoryGap)
  case note(String)
}

/// How a session ended.
package enum SessionEnd: Equatable, Sendable {
  /// In order: all was exchanged that could be, or either end was shut down.
  case finished(Goodbye.Reason)
  case failed(TreeError)
}

/// The two clocks of one moment.
package struct SessionTime: Equatable, Sendable {
  /// Nanoseconds of a clock that never steps back.
  package var monotonic: UInt64
  /// Milliseconds since 1970.
  package var wall: Int64

  package init(monotonic: UInt64, wall: Int64) {
    self.monotonic = monotonic
    self.wall = wall
  }
}
