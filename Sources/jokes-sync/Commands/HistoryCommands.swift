internal import OfflineTree
internal import Replicator

extension Command {
  static let history = Command(
    name: "history", usage: "[all | days N | little]", summary: "what this device keeps of history, and who keeps all",
    details: """
      What is shown never depends on it. An owner's device keeps all unless told otherwise, others keep 30 days. Only what every
      keeper is known to have is dropped, with the next "compact"; one's own changes stay. What is needed again is fetched from a
      keeper. A device that is set to "all" says so to others, once it has everything.
      """,
    operands: 0...2, example: "jokes-sync history days 90"
  ) { invocation in
    let words = invocation.arguments.operands
    let database = try invocation.openDatabase()
    defer { database.close() }
    guard !words.isEmpty else { return try show(database, invocation.console) }
    switch (words[0], words.count) {
    case ("all", 1): try database.setHistoryRetention(.all)
    case ("little", 1): try database.setHistoryRetention(.little)
    case ("days", 2):
      guard let days = Int(words[1]) else { throw invocation.usage("\"\(words[1])\" is no number of days") }
      try database.setHistoryRetention(.days(days))
    default: throw invocation.usage("\"history \(words.joined(separator: " "))\" is not understood")
    }
    try database.upkeep()
  }

  private static func show(_ database: Database, _ console: Console) throws {
    let status = try database.history()
    let kept: String =
      switch try database.historyRetention() {
      case .all: "all"
      case .days(let days): "\(days) days"
      case .little: "little"
      }
    try console.print("keeps    \(kept)")
    try console.print("changes  \(status.changes), of which \(status.droppedChanges) are dropped")
    try console.print(
      "bytes    \(status.plainBytes) as they came, \(status.packedBytes) compressed, \(status.gapBytes) for what is dropped"
    )
    let names = status.keepers.map { TerminalText.line($0.deviceName) }
    try console.print("keepers  \(names.isEmpty ? "nobody: nothing is dropped" : names.joined(separator: ", "))")
    let isKeeper = status.keepers.contains { $0.deviceKey == database.deviceKey }
    if try database.historyRetention() == .all, status.droppedChanges == 0, !isKeeper {
      try console.print(HistoryText.notCounted)
    }
    if status.waitingChanges > 0 {
      let others = status.keepers.filter { $0.deviceKey != database.deviceKey }
      try console.print(HistoryText.waiting(status.waitingChanges, others))
    }
  }

  static let compact = Command(
    name: "compact", usage: "",
    summary: "compress history, drop what need not be kept, give free room back to the disk",
    details: """
      What is shown does not change; see "history". "run" and "sync" compress and drop now and then by themselves; the file shrinks
      only here, while no other program has the home open.
      """,
    operands: 0...0, example: "jokes-sync compact"
  ) { invocation in
    // Also of a long file every page: what is damaged in one that is written anew cannot be repaired from its older pages.
    try invocation.requireSoundPages(maximumBytes: .max)
    try compactHistory(invocation)
    do {
      let (before, after) = try Database.shrink(at: try invocation.home())
      try invocation.console.print("The file had \(before) bytes, and has \(after).")
    } catch let error as TreeError where error.code == .unavailable {
      invocation.console.report("The file keeps its size as long as another program has this home open.")
    }
  }

  private static func compactHistory(_ invocation: Invocation) throws {
    let database = try invocation.openDatabase()
    defer { database.close() }
    let bar = ProgressBar("Compacting", invocation.console)
    let report = try Replicator(database: database).compact { done, all in bar.show(done, of: all) }
    bar.end()
    try invocation.console.print(
      "\(report.packedChanges) changes compressed, \(report.droppedChanges) dropped: "
        + "\(report.bytesBefore) bytes before, \(report.bytesAfter) now.")
    if !report.silentKeepers.isEmpty {
      let names = report.silentKeepers.map { TerminalText.line($0) }.joined(separator: ", ")
      invocation.console.report("Not heard of yet, so that what they may lack stays: \(names).")
    }
  }
}

enum HistoryText {
  /// What nobody has any more, and what can still be done.
  static func lost(_ lost: LostHistory) -> String {
    let names = lost.keepers.map { TerminalText.line($0) }.joined(separator: ", ")
    let log = "\(TerminalText.line(lost.deviceName)) (log \(lost.log))"
    return "Changes \(lost.first) to \(lost.last) of \(log) are needed here, and every device that keeps all history "
      + "has said that it does not have them: \(names). Their homes were put back to an older state, or damaged. What these changes did is "
      + "in the tree here and stays; what waits for them waits. A home or a backup that still has them brings them back: restore "
      + "it as another device (\(Program.name) restore) and sync. Meanwhile keep this home, and back it up: \(Program.name) backup "
      + "FILE."
  }

  /// This device has everything, and nobody relies on it.
  static let notCounted =
    "Others do not count on it that this device keeps all: it has not told them, or a copy of its home keeps less. "
    + "\"\(Program.name) history all\" tells them; a copy that keeps less takes that back."

  /// Whom to connect to, and why.
  static func waiting(_ count: Int, _ keepers: [HistoryStatus.Keeper]) -> String {
    let changes = count == 1 ? "1 change waits" : "\(count) changes wait"
    let names = keepers.map { TerminalText.line($0.deviceName) }
    let whom = names.isEmpty ? "a device that keeps all history" : names.joined(separator: " or ")
    return "\(changes) for history that this device dropped: connect to \(whom)."
  }
}
