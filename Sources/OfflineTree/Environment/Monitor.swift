#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A value behind a lock, with a condition to wait for.
///
/// Not Synchronization's `Mutex`, whose waiting the thread sanitizer does not see on Linux. Blocks threads: never wait
/// here on the cooperative pool for longer than another thread needs to leave the lock.
@safe
package final class Monitor<Content>: @unchecked Sendable {
  // `value` is touched only while `mutex` is held, which is what makes this class Sendable.
  private var value: Content
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  package init(_ value: Content) {
    self.value = value
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(condition, nil)
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  /// Runs `body` under the lock. It must not come back here.
  package func withLock<R>(_ body: (inout Content) throws -> R) rethrows -> R {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Runs `body` under the lock, then wakes every thread that waits.
  package func change<R>(_ body: (inout Content) throws -> R) rethrows -> R {
    // The lock is left first, so that who wakes up does not find it held.
    defer { unsafe pthread_cond_broadcast(condition) }
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Waits until `attempt` returns something, which it does under the lock.
  package func wait<R>(_ attempt: (inout Content) -> R?) -> R {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let result = attempt(&value) { return result }
      unsafe pthread_cond_wait(condition, mutex)
    }
  }
}
