internal import Dispatch
internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#endif

/// Tells that something may have changed in folders: quick where the system can say so, and never to be relied upon.
///
/// Elsewhere than on Linux, and on network folders, it stays silent: the rescan is what makes it right.
final class FolderWatcher: @unchecked Sendable {
  #if canImport(Glibc)
    // Set once, before anybody else sees the watcher; Dispatch's sources are safe to cancel from any thread.
    private let source: any DispatchSourceProtocol
    private let file: Int32

    /// - Parameter onChange: Called on `queue`, once for several changes.
    init(queue: DispatchQueue, onChange: @escaping @Sendable () -> Void) throws(TreeError) {
      let file = try FileSystem.retrying("cannot watch", "folders") {
        inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      }
      self.file = file
      source = DispatchSource.makeReadSource(fileDescriptor: file, queue: queue)
      source.setEventHandler {
        var events = [UInt8](repeating: 0, count: 4_096)
        while unsafe read(file, &events, events.count) > 0 {}
        onChange()
      }
      source.setCancelHandler { close(file) }
      source.activate()
    }

    deinit { source.cancel() }

    /// Watches a folder as well; one that is watched already stays so.
    func watch(_ folder: String) throws(TreeError) {
      let events = IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_ONLYDIR
      try FileSystem.retrying("cannot watch", folder) {
        unsafe inotify_add_watch(file, folder, UInt32(events) | UInt32(IN_DONT_FOLLOW))
      }
    }
  #else
    init(queue: DispatchQueue, onChange: @escaping @Sendable () -> Void) throws(TreeError) {}

    func watch(_ folder: String) throws(TreeError) {}
  #endif
}
