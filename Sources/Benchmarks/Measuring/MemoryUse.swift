internal import Foundation

/// What this process holds of memory that no file backs.
enum MemoryUse {
  /// In KiB; 0 where the system does not tell.
  static var now: Int {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
  }
}
