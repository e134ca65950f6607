internal import OfflineTree

/// A system library that this program runs with, and the oldest one that it was tried with.
public struct LibraryVersion: Sendable, Equatable {
  public let name: String
  public let version: String
  public let minimum: String

  /// Older ones lack calls, or the mending of holes.
  public var isOldEnough: Bool { !Self.numbers(version).lexicographicallyPrecedes(Self.numbers(minimum)) }

  /// Those that run now.
  public static var all: [LibraryVersion] {
    [
      LibraryVersion(name: "lmdb", version: Store.libraryVersion, minimum: "0.9.24"),
      LibraryVersion(name: "libsodium", version: Sodium.libraryVersion, minimum: "1.0.18"),
      LibraryVersion(name: "gnutls", version: TLSLibrary.libraryVersion, minimum: "3.7.9"),
      LibraryVersion(name: "zstd", version: Zstd.libraryVersion, minimum: "1.5.4"),
    ]
  }

  init(name: String, version: String, minimum: String) {
    (self.name, self.version, self.minimum) = (name, version, minimum)
  }

  /// What stands between dots, up to what is no number: "1.0.18-stable" is 1, 0, 18.
  private static func numbers(_ version: String) -> [Int] {
    version.split(separator: ".").map { part in Int(part.prefix { $0.isASCII && $0.isNumber }) ?? 0 }
  }
}
