internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// What is imported: a file that can be read more than once.
///
/// What cannot be read twice (a pipe, standard input) is first copied to a nameless file in the home.
final class ImportSource {
  private let descriptor: Int32
  private let name: String
  private var offset = 0
  let byteCount: Int

  /// - Throws: `notFound`, `inputOutput` or `full`.
  init(_ path: String, home: String) throws(TreeError) {
    name = path == "-" ? "standard input" : path
    let opened = path == "-" ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { throw systemError("cannot read \(name)") }
    var seekable = opened
    if lseek(opened, 0, SEEK_CUR) < 0 {
      defer { close(opened) }
      seekable = try ImportSource.copy(opened, name, toFileIn: home)
    }
    descriptor = seekable
    byteCount = Int(lseek(seekable, 0, SEEK_END))
  }

  deinit { close(descriptor) }

  /// Reads from the beginning; one scanner at a time.
  func scanner() -> JSONScanner {
    offset = 0
    return JSONScanner { (window) throws(TreeError) in try self.refill(&window) }
  }

  private func refill(_ window: inout [UInt8]) throws(TreeError) {
    guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else { throw systemError("cannot read \(name)") }
    try InputFile.append(to: &window, from: descriptor, what: name)
    offset += window.count
  }

  private static func copy(_ input: Int32, _ name: String, toFileIn home: String) throws(TreeError) -> Int32 {
    let output = try NamelessFile.make(in: home)
    do throws(TreeError) {
      while let bytes = try InputFile.read(input, what: name) {
        try writeAll(bytes, to: output, what: "a copy of \(name) in \(home)")
      }
      return output
    } catch {
      close(output)
      throw error
    }
  }
}

/// Files that vanish with their descriptor, whatever becomes of the program.
enum NamelessFile {
  static func make(in folder: String) throws(TreeError) -> Int32 {
    let path = "\(folder)/import.\(getpid()).\(hexadecimal(Environment.system.randomBytes(4))).tmp"
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw systemError("cannot make a file in \(folder)") }
    unsafe unlink(path)
    return descriptor
  }
}
