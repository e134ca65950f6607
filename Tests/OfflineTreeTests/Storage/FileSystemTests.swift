import OfflineTree
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct FileSystemTests {
  let folder: TemporaryFolder
  var path: String { "\(folder.path)/file" }

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [0, 1, 100_000]) func `a file is read back, and nothing temporary stays`(size: Int) throws {
    let bytes = Sodium.randomBytes(size)
    try FileSystem.writeFileDurably(path, [9, 9, 9])
    try FileSystem.writeFileDurably(path, bytes, mode: 0o640)
    #expect(try FileSystem.readFile(path, maximumBytes: size) == bytes)
    #expect(try FileSystem.list(folder.path) == ["file"])
    var status = stat()
    #expect(unsafe stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o640)
    if size > 0 { #expect(errorCode { try FileSystem.readFile(path, maximumBytes: size - 1) } == .limitExceeded) }
  }

  @Test func `links, folders and pipes are not read`() throws {
    try FileSystem.writeFileDurably(path, [1])
    #expect(unsafe symlink(path, "\(folder.path)/link") == 0)
    #expect(unsafe mkfifo("\(folder.path)/pipe", 0o600) == 0)
    #expect(errorCode { try FileSystem.readFile("\(folder.path)/link", maximumBytes: 10) } == .inputOutput)
    #expect(errorCode { try FileSystem.readFile("\(folder.path)/pipe", maximumBytes: 10) } == .inputOutput)
    #expect(errorCode { try FileSystem.readFile(folder.path, maximumBytes: 10) } == .inputOutput)
    #expect(errorCode { try FileSystem.readFile("\(folder.path)/none", maximumBytes: 10) } == .notFound)
  }

  @Test func `removing what is gone is no error, and a full folder stays`() throws {
    try FileSystem.makeDirectory(path)
    try FileSystem.writeFileDurably("\(path)/inside", [1])
    #expect(errorCode { try FileSystem.remove(path) } == .inputOutput)
    try FileSystem.remove("\(path)/inside")
    try FileSystem.remove(path)
    try FileSystem.remove(path)
    #expect(!FileSystem.exists(path))
  }

  @Test func `an identity belongs to the file and not to its name`() throws {
    try FileSystem.writeFileDurably(path, [1])
    let before = try FileSystem.identity(path)
    #expect(unsafe rename(path, "\(path)2") == 0)
    #expect(try FileSystem.identity("\(path)2") == before)
    try FileSystem.writeFileDurably(path, [1])
    #expect(try FileSystem.identity(path) != before)
  }

  @Test(arguments: [
    ("/tmp", "/"), ("/tmp/", "/"), ("a/b/c", "a/b"), ("/a/b//", "/a"), ("a", "."), ("/", "/"),
  ]) func `the parent of a path is the folder that holds it`(path: String, parent: String) {
    #expect(FileSystem.parent(of: path) == parent)
  }

  @Test(arguments: [
    ("nfs4", true), ("fuse.sshfs", true), ("cifs", true), ("9p", true), ("ext4", false), ("tmpfs", false),
    ("overlay", false), ("btrfs", false),
  ]) func `a network file system is known by its name`(name: String, isNetwork: Bool) {
    #expect(FileSystem.Kind(name: name).isNetwork == isNetwork)
  }

  @Test(arguments: [
    ("/", "ext4"), ("/home/ann", "ext4"), ("/homes", "ext4"), ("/mnt/share", "nfs4"), ("/mnt/share/deep", "nfs4"),
    ("/mnt/shared", "ext4"), ("/mnt/two words/x", "fuse.sshfs"), ("/over", "tmpfs"),
  ]) func `the longest and latest mount point decides`(path: String, kind: String) {
    let table = """
      22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
      30 22 0:40 / /mnt/share rw shared:2 master:3 - nfs4 host:/share rw
      31 22 0:41 / /mnt/two\\040words rw - fuse.sshfs host: rw
      32 22 0:42 / /over rw - cifs //host/over rw
      33 22 0:43 / /over rw - tmpfs tmpfs rw
      broken line
      """
    #expect(FileSystem.mountedKind(of: Array(path.utf8), in: Array(table.utf8)) == kind)
  }

  @Test func `the file system of a folder has a name`() throws {
    #expect(try FileSystem.kind("/proc").name == "proc")
    #expect(try !FileSystem.kind(folder.path).isNetwork)
  }
}
