internal import Dispatch

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Calls back when a process bumps a home's wake file: this one too, and possibly once for several commits.
///
/// Whoever is called compares the number of the last commit with the one that it knows. Ends with the last reference.
package final class WakeWatcher: @unchecked Sendable {
  // Set once, before anybody else sees the watcher; Dispatch's sources are safe to cancel from any thread.
  private let source: any DispatchSourceProtocol

  /// Watches; makes the file if it is missing.
  ///
  /// - Parameter onWake: Called on a serial queue of its own; it does not block for long.
  package init(_ home: Home, onWake: @escaping @Sendable () -> Void) throws(TreeError) {
    _ = try WakeFile(home)
    let queue = DispatchQueue(label: "OfflineTree.WakeWatcher")
    #if os(Linux)
      source = try Self.inotifySource(home.wakePath, queue, onWake)
    #else
      source = Self.pollingSource(home.wakePath, queue, onWake)
    #endif
    source.activate()
  }

  deinit { source.cancel() }

  #if os(Linux)
    private static func inotifySource(
      _ path: String, _ queue: DispatchQueue, _ onWake: @escaping @Sendable () -> Void
    ) throws(TreeError) -> any DispatchSourceProtocol {
      let file = try FileSystem.retrying("cannot watch", path) { inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)) }
      do throws(TreeError) {
        try FileSystem.retrying("cannot watch", path) { unsafe inotify_add_watch(file, path, UInt32(IN_MODIFY)) }
      } catch {
        close(file)
        throw error
      }
      let source = DispatchSource.makeReadSource(fileDescriptor: file, queue: queue)
      source.setEventHandler {
        var events = [UInt8](repeating: 0, count: 4_096)
        while unsafe read(file, &events, events.count) > 0 {}
        onWake()
      }
      source.setCancelHandler { close(file) }
      return source
    }
  #else
    private static func pollingSource(
      _ path: String, _ queue: DispatchQueue, _ onWake: @escaping @Sendable () -> Void
    ) -> any DispatchSourceProtocol {
      let source = DispatchSource.makeTimerSource(queue: queue)
      var last = try? FileSystem.readFile(path, maximumBytes: 64)
      source.setEventHandler {
        let now = try? FileSystem.readFile(path, maximumBytes: 64)
        if now != last { onWake() }
        last = now
      }
      source.schedule(deadline: .now(), repeating: .milliseconds(200), leeway: .milliseconds(50))
      return source
    }
  #endif
}
