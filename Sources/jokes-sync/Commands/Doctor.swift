internal import OfflineTree
internal import Replicator

/// Looks at a home and what it stands on, and collects what a person should hear.
struct Doctor {
  private(set) var sound: [String] = []
  /// What is wrong and what to do, each in one line.
  private(set) var troubles: [String] = []
  /// Why the database could not be opened.
  private(set) var failure: ExitStatus?

  /// Less than this is soon full: a merge writes many pages at once.
  private static let scarceBytes: UInt64 = 256 << 20

  mutating func lookAtLibraries() {
    let libraries = LibraryVersion.all
    sound.append("libraries: " + libraries.map { "\($0.name) \($0.version)" }.joined(separator: ", "))
    for library in libraries where !library.isOldEnough {
      troubles.append(
        "\(library.name) \(library.version) is older than \(library.minimum), which this program was tried with: update the "
          + "system's package, and start the program again.")
    }
    attempt("libsodium judges signatures as all devices must") { () throws(TreeError) in try Sodium.requireSound() }
  }

  mutating func lookAtDisk(of home: String) {
    lookAtSpace(of: home, "the home")
  }

  mutating func lookAtDatabase(in home: String, open: () throws(TreeError) -> Database) {
    do {
      let database = try open()
      defer { database.close() }
      let report = try StatusReport(database)
      sound.append("the home \(TerminalText.line(home)) opens")
      troubles += report.alarms.map(\.trimmed)
      lookAtSafety(report)
      for remote in report.remotes.remotes { lookAt(remote) }
    } catch {
      failure = ExitStatus(error)
      troubles.append(Self.text(error))
    }
  }

  // MARK: Parts

  private mutating func lookAtSafety(_ report: StatusReport) {
    if report.remotes.remotes.isEmpty, report.remotes.incoming.isEmpty {
      troubles.append(
        "Nothing is exchanged with other devices: \(Program.name) remote add folder PATH, or tcp HOST:PORT. Until then a "
          + "backup is all there is: \(Program.name) backup FILE.")
    } else if report.remotes.safeOn == 0, report.status.logs.contains(where: \.isOwn) {
      troubles.append(
        "No other device is known to have everything of this one: sync, and let others sync. A backup makes it safe meanwhile: "
          + "\(Program.name) backup FILE.")
    } else {
      sound.append("safe on \(report.remotes.safeOn) other \(report.remotes.safeOn == 1 ? "device" : "devices")")
    }
    if let own = report.status.logs.first(where: \.isCurrent), own.lastWallTime > report.now + 60_000 {
      troubles.append(
        "This device's clock stands before its own last change: set it. Nothing is lost by it; times that people see are wrong."
      )
    }
  }

  private mutating func lookAt(_ remote: ReplicatorStatus.Remote) {
    let name = RemoteText.address(remote.address)
    for problem in remote.problems { troubles.append("\(name): \(TerminalText.line(problem))") }
    guard case .folder(let path) = remote.address else { return }
    guard FileSystem.exists(path) else {
      troubles.append("\(name) is not there: plug it in or mount it. What is pending waits for it.")
      return
    }
    attempt("\(name) can be read") { () throws(TreeError) in _ = try FileSystem.list(path) }
    lookAtSpace(of: path, name)
  }

  private mutating func lookAtSpace(of path: String, _ name: String) {
    guard let free = try? FileSystem.freeBytes(path) else { return }
    if free < Self.scarceBytes {
      troubles.append(
        "Only \(free >> 20) MiB are left on the disk of \(name): free some. Nothing is lost when it is full; nothing is taken in "
          + "either.")
    } else {
      sound.append("\(free >> 30 > 0 ? "\(free >> 30) GiB" : "\(free >> 20) MiB") free for \(name)")
    }
  }

  private mutating func attempt(_ what: String, _ look: () throws(TreeError) -> Void) {
    do throws(TreeError) {
      try look()
      sound.append(what)
    } catch {
      troubles.append(Self.text(error))
    }
  }

  private static func text(_ error: any Error) -> String {
    TerminalText.line((error as? TreeError)?.description ?? "\(error)")
  }
}

extension String {
  /// Without spaces at its ends.
  fileprivate var trimmed: String {
    var text = self[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
