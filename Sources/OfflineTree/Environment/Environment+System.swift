#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension Environment {
  /// The real clock, the system's randomness, and this machine.
  public static let system = Environment(
    wallClock: { nanoseconds(CLOCK_REALTIME) / 1_000_000 },
    monotonicClock: { UInt64(nanoseconds(CLOCK_MONOTONIC)) },
    randomBytes: { Sodium.randomBytes($0) },
    machineIdentity: { machineIdentifier() }
  )

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// `/etc/machine-id` where there is one, else the host's name.
  private static func machineIdentifier() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let file = unsafe open("/etc/machine-id", O_RDONLY | O_CLOEXEC)
    if file >= 0 {
      defer { close(file) }
      let count = unsafe read(file, &bytes, bytes.count)
      if count > 0 { return Array(bytes[..<count]) }
    }
    unsafe bytes.withUnsafeMutableBytes { buffer in
      _ = unsafe buffer.withMemoryRebound(to: CChar.self) { unsafe gethostname($0.baseAddress!, $0.count - 1) }
    }
    return Array(bytes.prefix { $0 != 0 })
  }
}
