/// The world outside, as the database sees it: clock, randomness, identity of the machine, files of shared folders.
///
/// Everything in OfflineTree takes time and chance from the environment it was given, so that a test can own both.
public struct Environment: Sendable {
  /// Milliseconds since 1970 by the wall clock, which may jump in either direction.
  public var wallClock: @Sendable () -> Int64
  /// Nanoseconds of a clock that never steps back; its zero means nothing.
  public var monotonicClock: @Sendable () -> UInt64
  /// Fresh random bytes, as many as asked for.
  public var randomBytes: @Sendable (Int) -> [UInt8]
  /// What tells this machine from another: part of the guard against copied homes.
  public var machineIdentity: @Sendable () -> [UInt8]
  /// Where shared folders are: the real disk, or one that a simulation owns.
  package var files: any Files = SystemFiles()

  public init(
    wallClock: @escaping @Sendable () -> Int64,
    monotonicClock: @escaping @Sendable () -> UInt64,
    randomBytes: @escaping @Sendable (Int) -> [UInt8],
    machineIdentity: @escaping @Sendable () -> [UInt8]
  ) {
    self.wallClock = wallClock
    self.monotonicClock = monotonicClock
    self.randomBytes = randomBytes
    self.machineIdentity = machineIdentity
  }
}
