#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension FileSystem {
  /// What a path's file system is.
  package struct Kind: Sendable, Equatable {
    /// The system's name for it: "ext4", "tmpfs", "nfs4", "fuse.sshfs"; "unknown" if it does not say.
    package let name: String
    /// Whether other machines may reach the same files, so that neither shared maps nor locks can be relied upon.
    package let isNetwork: Bool

    package init(name: String) {
      self.name = name
      isNetwork = Self.network.contains { $0.utf8.elementsEqual(name.utf8) } || name.utf8.starts(with: "fuse".utf8)
    }

    // Every FUSE file system counts as one: what stands behind it cannot be seen from here.
    private static let network = [
      "nfs", "nfs3", "nfs4", "cifs", "smb3", "smbfs", "smb2", "afs", "afpfs", "ceph", "9p", "ncpfs", "coda", "lustre",
      "glusterfs", "gfs2", "ocfs2", "webdav", "vboxsf", "osxfuse", "macfuse",
    ]
  }

  /// The kind of the file system that holds `path`.
  package static func kind(_ path: String) throws(TreeError) -> Kind {
    #if canImport(Glibc)
      let real = try realPath(path)
      // Without /proc nothing can be told; that is no reason to refuse to work.
      guard let table = try? readFile("/proc/self/mountinfo", maximumBytes: 16 << 20) else {
        return Kind(name: "unknown")
      }
      return Kind(name: mountedKind(of: Array(real.utf8), in: table) ?? "unknown")
    #else
      var status = statfs()
      try retrying("cannot look at the volume of", path) { unsafe statfs(path, &status) }
      let name = unsafe withUnsafeBytes(of: &status.f_fstypename) { unsafe Array($0.prefix { $0 != 0 }) }
      return Kind(name: String(decoding: name, as: UTF8.self))
    #endif
  }

  /// `path` without links and relative parts; it exists.
  package static func realPath(_ path: String) throws(TreeError) -> String {
    guard let resolved = unsafe realpath(path, nil) else { throw error(errno, "cannot find", path) }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// The type of the mount whose point is the longest that leads to `path`; of equal ones the last hides the others.
  package static func mountedKind(of path: [UInt8], in mountinfo: [UInt8]) -> String? {
    var best: (length: Int, kind: ArraySlice<UInt8>)?
    for line in mountinfo.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: " "))
      guard fields.count > 6, let dash = fields.dropFirst(6).firstIndex(of: [UInt8(ascii: "-")]),
        dash + 1 < fields.count
      else { continue }
      let point = unescaped(fields[4])
      let isAbove =
        point == [UInt8(ascii: "/")]
        || path.starts(with: point) && (path.count == point.count || path[point.count] == UInt8(ascii: "/"))
      if isAbove, point.count >= best?.length ?? 0 { best = (point.count, fields[dash + 1]) }
    }
    return best.map { String(decoding: $0.kind, as: UTF8.self) }
  }

  /// Undoes mountinfo's \040 (octal) for spaces, tabs, line ends and backslashes.
  private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        result.append(value)
        rest.removeFirst(3)
      } else {
        result.append(byte)
      }
    }
    return result
  }
}
