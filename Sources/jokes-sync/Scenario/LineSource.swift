internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Documents, one after the other, each read when it is asked for.
struct LineSource: Sendable {
  let next: @Sendable () throws -> [UInt8]?

  /// The lines of standard input that are not empty.
  static func standardInput() -> LineSource {
    LineSource {
      while let line = readLine() {
        if !line.utf8.isEmpty { return Array(line.utf8) }
      }
      return nil
    }
  }

  static func files(_ paths: [String]) -> LineSource {
    let next = Counter()
    return LineSource {
      let index = next.take()
      return index < paths.count ? try read(paths[index]) : nil
    }
  }

  private static func read(_ path: String) throws(TreeError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw systemError("cannot read \(path)") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while let chunk = try InputFile.read(descriptor, what: path) {
      bytes += chunk
      if bytes.count > Limits.changeBytes { throw TreeError(.limitExceeded, "\(path) is larger than any scenario") }
    }
    return bytes
  }
}
