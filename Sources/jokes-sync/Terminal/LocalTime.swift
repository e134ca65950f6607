#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Times for people.
enum LocalTime {
  /// "2026-11-30 05:28" in the time zone of this machine.
  static func text(milliseconds: Int64) -> String {
    var seconds = time_t(milliseconds / 1_000)
    var parts = unsafe tm()
    guard unsafe localtime_r(&seconds, &parts) != nil else { return "\(milliseconds) ms" }
    let (year, month, day) = unsafe (Int(parts.tm_year) + 1_900, parts.tm_mon + 1, parts.tm_mday)
    let (hour, minute) = unsafe (parts.tm_hour, parts.tm_min)
    return "\(year)-\(two(month))-\(two(day)) \(two(hour)):\(two(minute))"
  }

  private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
