import OfflineTree

/// One device's copy of the shared folder: a disk on which calls fail when they are told to, and which forgets what was
/// not synced when its power fails.
///
/// One thread at a time uses it; the lock is for the compiler's sake.
final class SimulatedFiles: Files {
  struct File: Hashable, Sendable {
    var bytes: [UInt8]
    var modified: Int64
    var inode: UInt64
    /// By which a carrier tells a newer file from an older one of its name.
    var version: Int
  }

  struct Removal: Sendable {
    let path: String
    let file: File
    /// On the disk when it was removed.
    let left: [String: File]
  }

  /// What is to go wrong, at the how manieth call that changes something.
  enum Fault: String, Sendable, CaseIterable {
    /// No space: nothing is written.
    case full
    /// The disk says that it could not write; a part is there.
    case io
    /// A part was written, then there was no space.
    case short
    /// The program dies there; what was not synced may be gone.
    case dies
    /// The program and the power fail there: what was not synced is gone.
    case faints
    /// A file is gone between being listed and being read.
    case vanishes
  }

  struct State: Sendable {
    /// By path below the root.
    var files: [String: File] = [:]
    var folders: Set<String> = []
    /// What a power loss leaves.
    var durable: [String: File] = [:]
    /// Left out of listings until the next exchange is over.
    var hidden: Set<String> = []
    var fault: (kind: Fault, calls: Int)?
    var isDead = false
    var nextInode: UInt64 = 10
    var clock: Int64 = 1
    /// What was removed since the last look, with the files that were left.
    var removed: [Removal] = []
    var versions: [String: Int] = [:]

    /// A new file, newer than what had the name here before.
    mutating func made(_ path: String, _ bytes: [UInt8], version: Int? = nil) -> File {
      nextInode += 1
      clock += 1
      let version = version ?? (versions[path] ?? 0) + 1
      versions[path] = max(version, versions[path] ?? 0)
      return File(bytes: bytes, modified: clock * 1_000_000, inode: nextInode, version: version)
    }
  }

  static let root = "/shared"
  private let state = Monitor(State())

  init() {}

  func change<R>(_ body: (inout State) throws -> R) rethrows -> R { try state.withLock(body) }

  /// The state is copied for the copy of a home.
  func copy(of other: SimulatedFiles) {
    let theirs = other.change { $0 }
    change { $0 = theirs }
  }

  /// The next call but `calls` that changes something fails so.
  func arm(_ fault: Fault, after calls: Int) { change { $0.fault = (fault, calls) } }

  /// Whether the program died in a call since it was last asked; calls work again.
  func disarm() -> Bool {
    change { state in
      defer { (state.fault, state.isDead, state.hidden) = (nil, false, []) }
      return state.isDead
    }
  }

  /// The files that calls removed since this was last asked.
  func takeRemoved() -> [Removal] {
    change { state in
      defer { state.removed = [] }
      return state.removed
    }
  }

  /// What was not synced is gone.
  func losePower() { change { $0.files = $0.durable } }

  /// Puts a file in its place, as a carrier does: whole and durable.
  func put(_ path: String, _ bytes: [UInt8], version: Int? = nil) {
    change { state in
      let file = state.made(path, bytes, version: version)
      if let slash = path.utf8.firstIndex(of: UInt8(ascii: "/")) { state.folders.insert(String(path[..<slash])) }
      state.files[path] = file
      state.durable[path] = file
    }
  }

  func take(_ path: String) {
    change { state in
      state.files[path] = nil
      state.durable[path] = nil
    }
  }

  /// Paths in byte order.
  var paths: [String] { change { $0.files.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } } }

  static func below(_ path: String) -> String { String(path.dropFirst(root.count + 1)) }

  static var death: TreeError { TreeError(.unavailable, "the simulated program has died") }
}
