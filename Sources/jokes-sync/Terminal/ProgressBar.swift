internal import OfflineTree

/// How far something long has come: one line of standard error, if that is a terminal.
final class ProgressBar: Sendable {
  private let title: String
  private let isShown: Bool
  private let width: Int
  private let console: Console
  private let lastDrawn = Monitor<(per1000: Int, time: UInt64)>((-1, 0))

  init(_ title: String, _ console: Console) {
    self.title = title
    self.console = console
    isShown = console.errorIsTerminal
    width = max(10, min(40, console.size.columns - title.utf8.count - 12))
  }

  func show(_ done: Int, of total: Int) {
    guard isShown, total > 0 else { return }
    let per1000 = min(1_000, Int(Double(done) / Double(total) * 1_000))
    let now = Environment.system.monotonicClock()
    let isDue = lastDrawn.withLock { last in
      guard per1000 != last.per1000, now &- last.time > 50_000_000 || per1000 == 1_000 else { return false }
      last = (per1000, now)
      return true
    }
    guard isDue else { return }
    let filled = width * per1000 / 1_000
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    console.draw("\r\(title) \(bar) \(per1000 / 10) %")
  }

  func end() {
    if isShown { console.draw("\r\u{1B}[K") }
  }
}
